// SPDX-License-Identifier: Apache-2.0
//
// A file of results, with a line of JSON for each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"

namespace orrery::explore {

inline constexpr std::uint64_t kLineBytes = 1u << 16;  ///< of a line, at most

/// Calls `visit` with each whole line that is a JSON object with a digest: what was broken off, or
/// what nobody here wrote, is passed over.
void for_each_line(std::string_view text,
                   const std::function<void(const std::string& digest, const config::Json& line,
                                            std::string_view text)>& visit);

/// A file that lines are put behind, each at once: what is written stays whatever happens to the
/// program.
class LineFile {
 public:
  /// Begins it anew with `text`. Errc: output_failed.
  [[nodiscard]] static Result<LineFile> begin(const std::string& path, std::string_view text);

  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  /// Errc: output_failed.
  [[nodiscard]] Result<void> add(std::string_view line);

 private:
  LineFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace orrery::explore

// SPDX-License-Identifier: Apache-2.0
//
// A file of results with one line of JSON per result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/system/temporary_file.h"

namespace orrery::explore {

inline constexpr std::uint64_t kLineBytes = 1u << 16;  ///< maximum length of a line

/// Calls `visit` with each complete line that is a JSON object with a digest; truncated and foreign
/// lines are skipped.
void for_each_line(std::string_view text,
                   const std::function<void(const std::string& digest, const config::Json& line,
                                            std::string_view text)>& visit);

/// A file that writes each appended line immediately, so that lines survive a crash of the program.
/// A new file that never gets a line is removed, also by a signal handler (remove_temporary_files).
class LineFile {
 public:
  /// Creates or replaces the file with `text`. Errc: output_failed.
  [[nodiscard]] static Result<LineFile> begin(const std::string& path, std::string_view text);

  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  /// Appends a line. Errc: output_failed.
  [[nodiscard]] Result<void> add(std::string_view line);

 private:
  LineFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
  TemporaryFile empty_;  ///< a new file, until its first line
};

}  // namespace orrery::explore

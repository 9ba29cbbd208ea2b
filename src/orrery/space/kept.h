// SPDX-License-Identifier: Apache-2.0
//
// Results that are kept: a file with a line of JSON for each run, so that a study that was broken
// off goes on where it was.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/space/metrics.h"
#include "orrery/space/space.h"

namespace orrery::space {

/// By digest of the run.
using Kept = std::map<std::string, Values, std::less<>>;

/// Calls `visit` with each whole line that is a JSON object with a digest: what was broken off, or
/// what nobody here wrote, is passed over.
void each_kept(std::string_view text,
               const std::function<void(const std::string& digest, const Json& line,
                                        std::string_view text)>& visit);

/// One line, with a newline.
[[nodiscard]] std::string line_of(const Space& space, const Run& run, const std::string& digest,
                                  const Values& values);

/// What the lines say. Lines that are incomplete or of another form are skipped. Of two lines for
/// one run the first counts, unless only the second is up to date.
[[nodiscard]] Kept parse_kept(std::string_view text, Freshness& fresh);

/// Of a file; none where there is no file. Errc: limit_exceeded, config_not_found (it cannot be
/// read).
[[nodiscard]] Result<Kept> read_kept(const std::string& path, Freshness& fresh);

/// A file that lines are put behind, each at once: what is written stays whatever happens to the
/// program.
class KeptFile {
 public:
  /// Begins it anew with `text`. Errc: output_failed.
  [[nodiscard]] static Result<KeptFile> begin(const std::string& path, std::string_view text);

  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&&) = delete;
  ~KeptFile();

  /// Errc: output_failed.
  [[nodiscard]] Result<void> add(std::string_view line);

 private:
  KeptFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_;
};

}  // namespace orrery::space

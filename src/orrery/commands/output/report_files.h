// SPDX-License-Identifier: Apache-2.0
//
// The files that `report` and `compare` write: a web page, timelines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/core/error.h"
#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/run.h"

namespace orrery::commands {

/// A written file.
struct Written {
  std::string path;
  std::uint64_t bytes = 0;
};

/// Options of a web page, as typed.
struct PageOptions {
  std::string path;  ///< "": no file, or a temporary one with `open`
  std::string page;
  bool open = false;

  [[nodiscard]] bool wanted() const { return open || !path.empty(); }

  static constexpr std::string_view group = "Output";
  static constexpr auto fields =
      std::tuple{QuestionField{"path", &PageOptions::path, "--html", "FILE", kNothing, "page.html",
                               "Write one self-contained web page"},
                 QuestionField{"page", &PageOptions::page, "--page", "FILE", kNothing, "page.html",
                               "Web page to fill, instead of the built-in one"}
                     .advanced(),
                 QuestionField{"open", &PageOptions::open, "--open", "", kNothing, "true",
                               "Open the web page in $BROWSER or the desktop's browser"}};
};

/// The web page of one or two runs, or of another result. Writes no file if none is requested.
class PageFile {
 public:
  explicit PageFile(PageOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool wanted() const { return options_.wanted(); }
  /// Checks before any work whether the page can be written: it is built in (or --page is
  /// readable), and the file does not exist or `force` is set. Errc: output_exists, usage,
  /// config_not_found.
  [[nodiscard]] Result<void> check(bool force);
  /// Fills the empty page.
  using Filled = std::function<Result<std::string>(std::string_view page)>;
  /// Writes it, with `ending` after its last line. Errc: output_exists, output_failed.
  [[nodiscard]] Result<Written> fill(const std::vector<const result::Run*>& runs,
                                     const Context& context, std::string_view ending = {});
  /// The same, and notes the path. Writes no file if none is requested.
  [[nodiscard]] Result<std::vector<Written>> write(const std::vector<const result::Run*>& runs,
                                                   const Context& context);
  [[nodiscard]] Result<std::vector<Written>> write(const Filled& filled, const Context& context);
  /// Shows the page if --open is given. Call it last.
  void show(const Context& context) const;

 private:
  Result<Written> fill(const Filled& filled, std::string_view ending, const Context& context);

  PageOptions options_;
  std::string text_;  ///< the page to fill
  bool force_ = false;
};

enum class TimelineFormat { perfetto, chrome };

/// A run as a timeline, in one file or in several.
struct TimelineFile {
  std::string path;  ///< "": no file
  TimelineFormat format = TimelineFormat::perfetto;
  bool sample_if_large = false;  ///< one rank per timeline if all make a large file
};

/// Writes `file` as one file, or with `split` (bytes) as `out.0.pftrace`, `out.1.pftrace` … of
/// about that size. Notes before writing that ranks are left out. Warns if a file is too large for
/// browsers.
[[nodiscard]] Result<std::vector<Written>> write_timeline(const TimelineFile& file,
                                                          const result::Run& run,
                                                          const report::TimelineChoice& choice,
                                                          std::optional<Bytes> split,
                                                          const Context& context);

}  // namespace orrery::commands

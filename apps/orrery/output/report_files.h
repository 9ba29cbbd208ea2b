// SPDX-License-Identifier: Apache-2.0
//
// What `report` and `compare` leave on the disk: a web page, timelines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/report/perfetto/perfetto.h"
#include "orrery/result/run.h"
#include "question_options.h"
#include "session.h"

namespace orrery::app {

/// A file that was written.
struct Written {
  std::string path;
  std::uint64_t bytes = 0;
};

/// What was typed about a web page.
struct PageOptions {
  std::string path;  ///< "" is nowhere, or with `open` a temporary file
  std::string page;
  bool open = false;

  [[nodiscard]] bool wanted() const { return open || !path.empty(); }

  static constexpr std::string_view group = "Output";
  static constexpr auto fields =
      std::tuple{QuestionField{"path", &PageOptions::path, "--html", "FILE", kNothing, "page.html",
                               "Write one self-contained web page"},
                 QuestionField{"page", &PageOptions::page, "--page", "FILE", kNothing, "page.html",
                               "The web page to fill instead of the one built in"},
                 QuestionField{"open", &PageOptions::open, "--open", "", kNothing, "true",
                               "Show the web page at once, in $BROWSER or the desktop's"}};
};

/// A run, or two, or something else as a web page; nothing where none is wanted.
class PageFile {
 public:
  explicit PageFile(PageOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool wanted() const { return options_.wanted(); }
  /// Whether it can be written at all, before any work is done: the page is built in (or --page can
  /// be read) and nothing is in the way, or `force` is set.
  /// Errc: output_exists, usage, config_not_found.
  [[nodiscard]] Result<void> check(bool force);
  /// What the empty page becomes.
  using Filled = std::function<Result<std::string>(std::string_view page)>;
  /// Writes it, with `ending` after its last line. Errc: output_exists, output_failed.
  [[nodiscard]] Result<Written> fill(const std::vector<const result::Run*>& runs,
                                     const Session& session, std::string_view ending = {});
  /// The same, and says so; no file where none is wanted.
  [[nodiscard]] Result<std::vector<Written>> write(const std::vector<const result::Run*>& runs,
                                                   const Session& session);
  [[nodiscard]] Result<std::vector<Written>> write(const Filled& filled, const Session& session);
  /// With --open, shows what was written: the last thing a command does.
  void show(const Session& session) const;

 private:
  Result<Written> fill(const Filled& filled, std::string_view ending, const Session& session);

  PageOptions options_;
  std::string text_;  ///< the page to fill
  bool force_ = false;
};

enum class TimelineFormat { perfetto, chrome };

/// A run as a timeline, in one file or in several.
struct TimelineFile {
  std::string path;  ///< "": none
  TimelineFormat format = TimelineFormat::perfetto;
};

/// Writes `file` as one, or with `split` (bytes) as `out.0.pftrace`, `out.1.pftrace` … of about
/// that size. Warns where one is larger than browsers take.
[[nodiscard]] Result<std::vector<Written>> write_timeline(const TimelineFile& file,
                                                          const result::Run& run,
                                                          const report::TimelineChoice& choice,
                                                          std::optional<Bytes> split,
                                                          const Session& session);

}  // namespace orrery::app

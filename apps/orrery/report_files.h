// SPDX-License-Identifier: Apache-2.0
//
// What `report` and `compare` leave on the disk: a web page, timelines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/report/perfetto.h"
#include "orrery/result/run.h"
#include "session.h"

namespace orrery::app {

/// A file that was written.
struct Written {
  std::string path;
  std::uint64_t bytes = 0;
};

/// The option --page.
void add_page_option(CLI::App& command, std::string& page);

/// A run, or two, as a web page; nothing where `path` is empty.
class PageFile {
 public:
  PageFile(std::string path, std::string page) : path_(std::move(path)), page_(std::move(page)) {}

  /// Whether it can be written at all, before any work is done: the page is built in (or `page` can
  /// be read) and nothing is in the way. Errc: output_exists, usage, config_not_found.
  [[nodiscard]] Result<void> check(bool force);
  [[nodiscard]] Result<std::vector<Written>> write(const std::vector<const result::Run*>& runs,
                                                   const Session& session) const;

 private:
  std::string path_;
  std::string page_;  ///< the file with the page; after check() the page itself
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

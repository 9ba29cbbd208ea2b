// SPDX-License-Identifier: Apache-2.0
//
// The web page that the demo leaves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "output/report_files.h"
#include "session.h"

namespace orrery::app {

class DemoPage {
 public:
  /// Where it goes: -o FILE.html (taken out of session.output), else orrery-demo.html here, which
  /// is replaced where the demo made it. None where JSON is asked for, or where no page is built in
  /// and none is asked for. `options` is settled. Errc: usage, output_exists, config_not_found.
  [[nodiscard]] static Result<DemoPage> choose(PageOptions& options, Session& session);

  /// Writes it and returns what to say of it. That nobody asked for it and it cannot be written is
  /// said, too, and no error. Errc: output_exists, output_failed.
  [[nodiscard]] Result<std::string> write(const std::vector<const result::Run*>& runs,
                                          const Session& session);
  /// With --open.
  void show(const Session& session) const { file_.show(session); }

 private:
  DemoPage(PageOptions options, bool asked) : file_(options), open_(options.open), asked_(asked) {}

  PageFile file_;
  bool open_, asked_;
};

/// What the demo says where no page is built in: how to get it, as a command that works from here.
/// "" where one is. `folder`: the program's data.
[[nodiscard]] std::string no_page_text(const std::string& folder);

}  // namespace orrery::app

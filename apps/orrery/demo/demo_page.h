// SPDX-License-Identifier: Apache-2.0
//
// The web page that the demo writes.
#pragma once

#include <string>
#include <vector>

#include "orrery/commands/output/report_files.h"
#include "orrery/core/error.h"
#include "session.h"

namespace orrery::app {

class DemoPage {
 public:
  /// Chooses the path: -o FILE.html (removed from context.output), otherwise orrery-demo.html in
  /// the current folder; an existing file there is replaced if the demo wrote it. No page with
  /// --json, or if no page is built in and none is requested. `options` must be complete. Errc:
  /// usage, output_exists, config_not_found.
  [[nodiscard]] static Result<DemoPage> choose(PageOptions& options, Context& context);

  /// Writes the page and returns a text about it. If the page was not requested, the text also
  /// reports a failed write, which is then not an error. Errc: output_exists, output_failed.
  [[nodiscard]] Result<std::string> write(const std::vector<const result::Run*>& runs,
                                          const Context& context);
  /// Shows the page if --open is given.
  void show(const Context& context) const { file_.show(context); }

 private:
  DemoPage(PageOptions options, bool asked) : file_(options), open_(options.open), asked_(asked) {}

  PageFile file_;
  bool open_, asked_;
};

/// For programs without a built-in page: the command that builds it, valid in the current folder.
/// "" if a page is built in. `folder`: the data of the program.
[[nodiscard]] std::string no_page_text(const std::string& folder);

}  // namespace orrery::app

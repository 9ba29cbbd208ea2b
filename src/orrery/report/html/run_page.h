// SPDX-License-Identifier: Apache-2.0
//
// A run, or two runs for comparison, as one self-contained HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::report {

struct HtmlOptions {
  std::size_t max_spans =
      100'000;  ///< over all timelines; if there are more, the page shows a selection and states it
};

/// The page's data as JSON (format: web/src/data.ts). It never contains `</`.
[[nodiscard]] std::string run_page_data(const std::vector<const result::Run*>& runs,
                                        const HtmlOptions& options = {});

/// Fills the data of one or two runs into `page` (the built web page), and a summary table that is
/// visible without JavaScript. Errc::config_missing_key if `page` has no place for them.
[[nodiscard]] Result<std::string> write_html(const std::vector<const result::Run*>& runs,
                                             std::string_view page,
                                             const HtmlOptions& options = {});

/// The page that is embedded in this program; empty if it was built without one (see `./setup
/// --page`).
[[nodiscard]] std::string_view built_in_page();

}  // namespace orrery::report

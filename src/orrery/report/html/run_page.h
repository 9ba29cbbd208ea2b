// SPDX-License-Identifier: Apache-2.0
//
// A run, or two runs side by side, as one self-contained HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::report {

struct HtmlOptions {
  std::size_t max_spans =
      100'000;  ///< over all timelines; more are thinned out, and the page says so
};

/// The page's data as JSON (the contract is web/src/data.ts). `</` never appears in it.
[[nodiscard]] std::string run_page_data(const std::vector<const result::Run*>& runs,
                                        const HtmlOptions& options = {});

/// `page` (the built web page) with the data of one or two runs put in, and a summary table that
/// shows without JavaScript. Errc::config_missing_key when `page` lacks the place for it.
[[nodiscard]] Result<std::string> write_html(const std::vector<const result::Run*>& runs,
                                             std::string_view page,
                                             const HtmlOptions& options = {});

/// The page that was built into this program; empty when it was built without (see `./setup
/// --page`).
[[nodiscard]] std::string_view built_in_page();

}  // namespace orrery::report

// SPDX-License-Identifier: Apache-2.0
//
// Views of a recording as one self-contained HTML page.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/report/answer/value.h"

namespace orrery::report {

/// The data of a page of views: tables of values.
struct PageViews {
  struct Column {
    std::string title;  ///< empty: not shown as text
    std::string key;    ///< name in JSON; it ends in the unit
    std::string about;
  };
  struct Table {
    std::string key, title;
    std::vector<Column> columns;
    std::vector<std::vector<Value>> rows;  ///< one value per column
    std::string if_empty;
  };
  struct View {
    std::string name, title;
    std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
    std::vector<Table> tables;
  };

  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  std::vector<View> views;
};

/// The page's data as JSON (format: web/src/views_data.ts). It never contains `</`.
[[nodiscard]] std::string views_data(const PageViews& views, const Findings& findings);

/// Fills views into `page`, as write_html() does with a run. Errc: see write_html().
[[nodiscard]] Result<std::string> write_views_html(const PageViews& views, const Findings& findings,
                                                   std::string_view page);

}  // namespace orrery::report

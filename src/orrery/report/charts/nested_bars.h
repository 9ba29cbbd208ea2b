// SPDX-License-Identifier: Apache-2.0
//
// Bar chart of shares of one total.
#pragma once

#include <string>
#include <vector>

namespace orrery::report {

/// A bar within a bar, both starting at zero: the saving of a change, and its upper limit.
struct NestedBar {
  std::string name;
  double inner = 0, outer = 0;  ///< shares of the total, -1 … 1; negative: a cost
  std::string kind;             ///< equal kinds have equal colors
};

struct NestedBars {
  std::string title, note;  ///< two lines above
  std::vector<NestedBar> bars;
};

/// A self-contained SVG without external fonts, styles or scripts. It follows the dark mode of the
/// page. The same input gives the same bytes.
[[nodiscard]] std::string nested_bars_svg(const NestedBars& bars);

}  // namespace orrery::report

// SPDX-License-Identifier: Apache-2.0
//
// Shares of one whole, as a drawing.
#pragma once

#include <string>
#include <vector>

namespace orrery::report {

/// A bar in a bar, both from the left: what a change wins, and what it could win at most.
struct NestedBar {
  std::string name;
  double inner = 0, outer = 0;  ///< shares of the whole, -1 … 1; below 0: it loses
  std::string kind;             ///< equal kinds, equal colours
};

struct NestedBars {
  std::string title, note;  ///< two lines above
  std::vector<NestedBar> bars;
};

/// As SVG. Stands alone, no fonts, styles or scripts from elsewhere, and takes the colours of a
/// dark page. The same bytes for the same input.
[[nodiscard]] std::string nested_bars_svg(const NestedBars& bars);

}  // namespace orrery::report

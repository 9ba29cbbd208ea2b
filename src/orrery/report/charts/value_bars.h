// SPDX-License-Identifier: Apache-2.0
//
// Bar chart: groups of bars with their values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::report {

/// A bar of one or several stacked parts; parts that are not finite are omitted.
struct ValueBar {
  std::string name;
  std::vector<double> parts;
  std::string text;         ///< label after the bar: its value
  std::uint32_t color = 0;  ///< index in ValueBars::legend, for its first part
};

struct ValueGroup {
  std::string name;
  std::vector<ValueBar> bars;
};

struct ValueBars {
  std::string title, note;          ///< two lines above
  std::string unit;                 ///< of the axis: "ms"
  std::vector<std::string> legend;  ///< one color each; a single entry is not shown
  std::vector<ValueGroup> groups;
};

/// A self-contained SVG without external fonts, styles or scripts. It follows the dark mode of the
/// page. The same input gives the same bytes.
[[nodiscard]] std::string value_bars_svg(const ValueBars& bars);

}  // namespace orrery::report

// SPDX-License-Identifier: Apache-2.0
//
// Groups of bars with their values, as a drawing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::report {

/// A bar of one part or of several, one after another; what is not finite is left out.
struct ValueBar {
  std::string name;
  std::vector<double> parts;
  std::string text;          ///< behind it: its value in words
  std::uint32_t colour = 0;  ///< which of ValueBars::legend, of its first part
};

struct ValueGroup {
  std::string name;
  std::vector<ValueBar> bars;
};

struct ValueBars {
  std::string title, note;          ///< two lines above
  std::string unit;                 ///< of the axis: "ms"
  std::vector<std::string> legend;  ///< a colour each; one alone is not shown
  std::vector<ValueGroup> groups;
};

/// As SVG. Stands alone, no fonts, styles or scripts from elsewhere, and takes the colours of a
/// dark page. The same bytes for the same input.
[[nodiscard]] std::string value_bars_svg(const ValueBars& bars);

}  // namespace orrery::report

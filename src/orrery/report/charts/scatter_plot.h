// SPDX-License-Identifier: Apache-2.0
//
// Scatter plot of predicted against measured values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::report {

/// One point; both coordinates are above 0.
struct ScatterPoint {
  double x = 0, y = 0;
  std::uint32_t series = 0;  ///< index in Scatter::series
};

struct ScatterPanel {
  std::string title, note;  ///< two lines above the panel
  std::vector<ScatterPoint> points;
};

/// Panels next to each other. Both axes of a panel are logarithms of seconds with the same range.
struct Scatter {
  std::string title;
  std::string across, up;           ///< labels of the axes
  std::vector<std::string> series;  ///< one color each
  std::vector<ScatterPanel> panels;
};

/// A self-contained SVG with the diagonal and lines at ±20 %, without external fonts, styles or
/// scripts. It follows the dark mode of the page. Many points are merged on a grid, and places with
/// few points are fainter, so that the file stays below about 150 kB. The same input gives the same
/// bytes.
[[nodiscard]] std::string scatter_svg(const Scatter& scatter);

}  // namespace orrery::report

// SPDX-License-Identifier: Apache-2.0
//
// What was measured against what was said, as a drawing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::report {

/// One point; both coordinates are above 0.
struct ScatterPoint {
  double x = 0, y = 0;
  std::uint32_t series = 0;  ///< which of Scatter::series
};

struct ScatterPanel {
  std::string title, note;  ///< two lines above it
  std::vector<ScatterPoint> points;
};

/// Panels side by side, their axes in logarithms of seconds and the same in both directions.
struct Scatter {
  std::string title;
  std::string across, up;           ///< what the axes are
  std::vector<std::string> series;  ///< a colour each
  std::vector<ScatterPanel> panels;
};

/// As SVG: the diagonal, where both are equal, and lines of 20 % more and less. Stands alone, no
/// fonts, styles or scripts from elsewhere, and takes the colours of a dark page. Many points
/// become places on a grid, fainter where there are few, so that it stays below 150 kB or so. The
/// same bytes for the same input.
[[nodiscard]] std::string scatter_svg(const Scatter& scatter);

}  // namespace orrery::report

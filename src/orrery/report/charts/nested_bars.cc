// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/nested_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/report/charts/svg_head.h"

namespace orrery::report {
namespace {

// In pixels.
constexpr double kBarsLeft = 300, kBarsWidth = 420, kBarsTop = 66, kBarLine = 22, kBarHeight = 15;
constexpr std::size_t kBarNameLength = 40;

/// The colors of Okabe and Ito, distinguishable with most forms of color blindness.
constexpr std::array<const char*, 6> kBarColors = {"#0072b2", "#e69f00", "#009e73",
                                                   "#d55e00", "#56b4e9", "#cc79a7"};

std::string shown(const std::string& name) {
  return xml_text(name.size() <= kBarNameLength ? name
                                                : name.substr(0, kBarNameLength - 3) + "...");
}

/// The kinds in order of their first bar.
std::vector<std::string> kinds_of(const NestedBars& bars) {
  std::vector<std::string> kinds;
  for (const NestedBar& bar : bars.bars)
    if (std::find(kinds.begin(), kinds.end(), bar.kind) == kinds.end()) kinds.push_back(bar.kind);
  return kinds;
}

}  // namespace

std::string nested_bars_svg(const NestedBars& bars) {
  const std::vector<std::string> kinds = kinds_of(bars);
  const double height = kBarsTop + kBarLine * static_cast<double>(bars.bars.size()) + 30;
  std::string svg =
      svg_head(kBarsLeft + kBarsWidth + 80, height, 12, kChartStyle, bars.title, bars.note);
  double most = 0.01;
  for (const NestedBar& bar : bars.bars) most = std::max({most, bar.inner, bar.outer});
  const double step = most > 0.4 ? 0.2 : most > 0.1 ? 0.05 : 0.01;
  for (int i = 0; i * step <= most * 1.0001; ++i) {
    const double x = kBarsLeft + kBarsWidth * i * step / most;
    svg += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\"/>"
        "<text class=\"f\" x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">{4:g} %</text>\n",
        x, kBarsTop - 6, height - 28, height - 12, std::round(1000 * i * step) / 10);
  }
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    const NestedBar& bar = bars.bars[i];
    const auto kind =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), bar.kind) - kinds.begin());
    const char* color = kBarColors[kind % kBarColors.size()];
    const double y = kBarsTop + kBarLine * static_cast<double>(i);
    const auto rect = [&](double share, const char* opacity) {
      return fmt::format(
          "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\" fill=\"{}\" "
          "opacity=\"{}\"/>",
          kBarsLeft, y, kBarsWidth * std::max(share, 0.0) / most, kBarHeight, color, opacity);
    };
    svg += fmt::format(
        "<text class=\"t\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>{}{}"
        "<text class=\"f\" x=\"{:.1f}\" y=\"{:g}\">{:.1f} %</text>\n",
        kBarsLeft - 8, y + 12, shown(bar.name), rect(bar.outer, ".35"), rect(bar.inner, "1"),
        kBarsLeft + kBarsWidth * std::max({bar.outer, bar.inner, 0.0}) / most + 5, y + 12,
        100 * bar.inner);
  }
  return svg + "</svg>\n";
}

}  // namespace orrery::report

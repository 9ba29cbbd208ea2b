// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/value_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/report/charts/svg_head.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {
namespace {

// In pixels.
constexpr double kValueLeft = 250, kValueWidth = 440, kValueRight = 110, kValueLine = 19,
                 kValueHeight = 13, kValueGap = 10, kValueTop = 56;
constexpr std::size_t kValueNameLength = 38;

/// The colors of Okabe and Ito, distinguishable with most forms of color blindness.
constexpr std::array<const char*, 7> kValueColors = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                     "#56b4e9", "#cc79a7", "#999999"};

const char* color(std::size_t index) { return kValueColors[index % kValueColors.size()]; }

std::string label(double x, double y, const char* kind, const char* anchor,
                  const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     kind, x, y, anchor, xml_text(text));
}

double length_of(const ValueBar& bar) {
  double sum = 0;
  for (const double part : bar.parts)
    if (std::isfinite(part) && part > 0) sum += part;
  return sum;
}

/// 1, 2 or 5 times a power of ten, for about five steps.
double step_of(double most) {
  const double rough = most / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double times = rough / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

std::string legend_svg(const ValueBars& bars, double y) {
  if (bars.legend.size() < 2) return "";
  std::string svg;
  double x = 12;
  for (std::size_t i = 0; i < bars.legend.size(); ++i) {
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" fill=\"{}\"/>\n",
                       x, y - 10, color(i));
    svg += label(x + 16, y, "t", "start", bars.legend[i]);
    x += 34 + 7.2 * static_cast<double>(columns(bars.legend[i]));
  }
  return svg;
}

std::string axis_svg(const ValueBars& bars, double most, double top, double bottom) {
  std::string svg;
  const double step = step_of(most);
  for (int i = 0; i * step <= most * 1.0001; ++i) {
    const double x = kValueLeft + kValueWidth * i * step / most;
    svg += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x, top,
        bottom);
    svg += label(x, bottom + 15, "f", "middle",
                 fmt::format("{:g}{}{}", i * step, bars.unit.empty() ? "" : " ", bars.unit));
  }
  return svg;
}

std::string bar_svg(const ValueBar& bar, double y, double most) {
  std::string svg = label(kValueLeft - 8, y + 11, "t", "end", truncate(bar.name, kValueNameLength));
  double x = kValueLeft;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    if (!std::isfinite(bar.parts[i]) || bar.parts[i] <= 0) continue;
    const double width = kValueWidth * bar.parts[i] / most;
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:g}\" fill=\"{}\"/>\n", x, y,
        width, kValueHeight, color(bar.color + i));
    x += width;
  }
  return svg + label(x + 5, y + 11, "f", "start", bar.text);
}

}  // namespace

std::string value_bars_svg(const ValueBars& bars) {
  double most = 0, lines = 0;
  for (const ValueGroup& group : bars.groups) {
    lines += kValueGap + kValueLine * static_cast<double>(group.bars.size()) +
             (group.name.empty() ? 0 : kValueLine);
    for (const ValueBar& bar : group.bars) most = std::max(most, length_of(bar));
  }
  if (!(most > 0)) most = 1;
  const double top = kValueTop + (bars.legend.size() < 2 ? 0 : 20), bottom = top + lines;
  std::string svg = svg_head(kValueLeft + kValueWidth + kValueRight, bottom + 26, 12, kChartStyle,
                             bars.title, bars.note);
  svg += legend_svg(bars, kValueTop + 6) + axis_svg(bars, most, top, bottom);
  double y = top + kValueGap / 2;
  for (const ValueGroup& group : bars.groups) {
    if (!group.name.empty()) {
      svg += label(12, y + 12, "t", "start", group.name);
      y += kValueLine;
    }
    for (const ValueBar& bar : group.bars) {
      svg += bar_svg(bar, y, most);
      y += kValueLine;
    }
    y += kValueGap;
  }
  return svg + "</svg>\n";
}

}  // namespace orrery::report

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "addons/noc_traffic/text/traffic_answer.h"
#include "orrery/report/charts/svg_head.h"

namespace orrery::present {

namespace {

// The layout in pixels.
constexpr double kLeft = 56, kTop = 60, kWidth = 520, kHeight = 260;

struct Axes {
  double most_load = 1, most_cycles = 1;
  [[nodiscard]] double x(double load) const { return kLeft + kWidth * load / most_load; }
  [[nodiscard]] double y(double cycles) const {
    return kTop + kHeight * (1 - std::min(cycles, most_cycles) / most_cycles);
  }
};

/// 1, 2 or 5 times a power of ten, of which about five fit into `most`.
double step_of(double most) {
  double step = 1e-6;
  for (int i = 0; step * 6 < most; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::string axes_text(const Axes& axes) {
  std::string made;
  const double load_step = step_of(axes.most_load), cycle_step = step_of(axes.most_cycles);
  for (int i = 0; i * load_step <= axes.most_load * 1.0001; ++i)
    made += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:g}\" y2=\"{2:g}\"/><text "
        "class=\"f\" x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">{4:g}</text>\n",
        axes.x(i * load_step), kTop, kTop + kHeight, kTop + kHeight + 16, i * load_step);
  for (int i = 0; i * cycle_step <= axes.most_cycles * 1.0001; ++i)
    made += fmt::format(
        "<line class=\"g\" x1=\"{1:g}\" x2=\"{2:g}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text "
        "class=\"f\" x=\"{3:g}\" y=\"{5:.1f}\" text-anchor=\"end\">{4:g}</text>\n",
        axes.y(i * cycle_step), kLeft, kLeft + kWidth, kLeft - 6, i * cycle_step,
        axes.y(i * cycle_step) + 4);
  return made + fmt::format(
                    "<text class=\"f\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">load, flits "
                    "per node and cycle</text>\n",
                    kLeft + kWidth / 2, kTop + kHeight + 34);
}

/// A dashed line across the chart, and its name beside it, `row` lines below the upper edge.
std::string vertical(const Axes& axes, double load, const char* what, int row) {
  const bool at_right = load > axes.most_load / 2;
  return fmt::format(
      "<line stroke=\"#d55e00\" stroke-dasharray=\"4 3\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" "
      "y1=\"{1:g}\" y2=\"{2:g}\"><title>{3} {4:.3g}</title></line><text class=\"f\" x=\"{5:.1f}\" "
      "y=\"{6:g}\" text-anchor=\"{7}\">{3}</text>\n",
      axes.x(load), kTop, kTop + kHeight, what, load, axes.x(load) + (at_right ? -5 : 5),
      kTop + 16 + 14 * row, at_right ? "end" : "start");
}

}  // namespace

std::string latency_svg(const noc::CurveAnswer& curve) {
  Axes axes{0, 4 * curve.zero_load_latency};
  for (const noc::CurvePoint& point : curve.points)
    axes.most_load = std::max(axes.most_load, point.load.value_or(0));
  for (const auto& load : {curve.bisection_load, curve.saturation})
    axes.most_load = std::max(axes.most_load, load.value_or(0));
  std::string made = report::svg_head(
      kLeft + kWidth + 24, kTop + kHeight + 48, 12, report::kChartStyle, curve.network,
      "mean latency of packets in cycles; saturated points at the upper edge");
  made += axes_text(axes);
  if (curve.bisection_load) made += vertical(axes, *curve.bisection_load, "bisection bound", 0);
  if (curve.saturation) made += vertical(axes, *curve.saturation, "saturation", 1);
  std::string path;
  for (const noc::CurvePoint& point : curve.points) {
    if (point.stable == point.runs)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", axes.x(*point.load),
                          axes.y(point.latency));
  }
  if (!path.empty())
    made += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#0072b2\"/>\n", path);
  for (const noc::CurvePoint& point : curve.points) {
    const bool stable = point.stable == point.runs;
    made += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>load {:g}: {}</title>"
        "</circle>\n",
        axes.x(*point.load), stable ? axes.y(point.latency) : kTop, stable ? "#0072b2" : "#d55e00",
        *point.load, stable ? fmt::format("{:.2f} cycles", point.latency) : "saturated");
  }
  return made + "</svg>\n";
}

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/charts/scatter_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "orrery/core/text/text.h"

namespace orrery::report {
namespace {

// The layout in pixels.
constexpr double kSide = 200;  // of a panel
constexpr double kAcross = 262, kDown = 286;
constexpr double kPanelLeft = 52, kPanelTop = 92;
constexpr std::size_t kMaxAcross = 4;
constexpr double kSeriesWidth = 130, kSeriesHeight = 20;

/// The colors of Okabe and Ito, distinguishable with most forms of color blindness, and some
/// more; on white and on black.
constexpr std::array<const char*, 16> kColors = {
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#a89a00", "#808080",
    "#9c6b4f", "#7f6bd0", "#c03a5b", "#5d8a1f", "#20a4a4", "#4d5fc0", "#d89090", "#6f9a8a"};
constexpr const char* kStyle =
    "<style>.b{fill:#fff}.t{fill:#222}.f{fill:#666}.g{stroke:#e4e4e4}.d{stroke:#222}.o{stroke:#999;"
    "stroke-dasharray:4 3}@media(prefers-color-scheme:dark){.b{fill:#16191d}.t{fill:#e6e6e6}"
    ".f{fill:#a0a0a0}.g{stroke:#2c3138}.d{stroke:#e6e6e6}.o{stroke:#777}}</style>\n";

/// Points in one cell of the grid are merged; their number determines the opacity.
constexpr std::size_t kMaxCells = 8500;
constexpr std::size_t kFewPoints = 2000;                             // per panel: no point is faint
constexpr std::array<double, 6> kSteps = {0.25, 0.5, 1, 1.5, 2, 3};  // pixels per grid cell
struct Density {
  std::size_t least;
  const char* opacity;
};
constexpr std::array<Density, 3> kDensities = {{{1, ".4"}, {3, ".7"}, {10, "1"}}};

/// A time as axis labels show it: 1 us, 10 us, 100 us, 1 ms.
std::string decade_text(int decade) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  const int above = decade + 9;  // nanoseconds
  if (above < 0) return fmt::format("1e{} s", decade);
  const int unit = std::min(above / 3, 3);
  return fmt::format("{:g} {}", std::pow(10, above - 3 * unit),
                     kUnits[static_cast<std::size_t>(unit)]);
}

/// The range of a panel, in powers of ten.
struct Decades {
  int first = 0, last = 1;
  [[nodiscard]] double place(double value) const {
    return kSide * (std::log10(value) - first) / (last - first);
  }
};

Decades decades_of(const ScatterPanel& panel) {
  double least = INFINITY, most = 0;
  for (const ScatterPoint& point : panel.points) {
    least = std::min({least, point.x, point.y});
    most = std::max({most, point.x, point.y});
  }
  if (!(most > 0)) return {-6, -3};
  Decades is{static_cast<int>(std::floor(std::log10(least))),
             static_cast<int>(std::ceil(std::log10(most)))};
  if (is.last == is.first) ++is.last;
  return is;
}

/// The points in a grid cell (column and row) of one series.
struct GridCell {
  std::uint32_t series;
  std::int32_t row, column;
  auto operator<=>(const GridCell&) const = default;
};
using CellCounts = std::map<GridCell, std::size_t>;

CellCounts count_cells(const ScatterPanel& panel, double step) {
  const Decades decades = decades_of(panel);
  CellCounts cells;
  for (const ScatterPoint& point : panel.points)
    ++cells[{point.series,
             static_cast<std::int32_t>(std::lround((kSide - decades.place(point.y)) / step)),
             static_cast<std::int32_t>(std::lround(decades.place(point.x) / step))}];
  return cells;
}

class ScatterPicture {
 public:
  explicit ScatterPicture(const Scatter& scatter)
      : scatter_(scatter),
        across_(std::clamp<std::size_t>(scatter.panels.size(), 1, kMaxAcross)),
        down_((scatter.panels.size() + across_ - 1) / across_) {
    const double width = kAcross * static_cast<double>(across_) + 12;
    in_line_ = std::max<std::size_t>(1, static_cast<std::size_t>((width - 16) / kSeriesWidth));
    const std::size_t lines = (scatter.series.size() + in_line_ - 1) / in_line_;
    top_ = 44 + kSeriesHeight * static_cast<double>(lines);
    for (const double step : kSteps) {
      step_ = step;
      std::size_t cells = 0;
      for (const ScatterPanel& panel : scatter.panels) cells += count_cells(panel, step).size();
      if (cells <= kMaxCells) break;
    }
  }

  std::string draw() {
    const double width = kAcross * static_cast<double>(across_) + 12;
    const double height = top_ + kDown * static_cast<double>(down_) + 12;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"system-ui, sans-serif\">\n",
        width, height);
    out_ += kStyle;
    put("<rect width=\"{:g}\" height=\"{:g}\" class=\"b\"/>\n", width, height);
    text(16, 28, "start", 16, "t", scatter_.title, " font-weight=\"600\"");
    for (std::size_t i = 0; i < scatter_.series.size(); ++i) {
      const double x = 16 + kSeriesWidth * static_cast<double>(i % in_line_);
      const std::size_t line = i / in_line_;
      const double y = 50 + kSeriesHeight * static_cast<double>(line);
      put("<circle cx=\"{:g}\" cy=\"{:g}\" r=\"4\" fill=\"{}\"/>\n", x + 4, y - 4, color(i));
      text(x + 13, y, "start", 12, "t", scatter_.series[i]);
    }
    for (std::size_t i = 0; i < scatter_.panels.size(); ++i) {
      const std::size_t row = i / across_;
      draw(scatter_.panels[i], kPanelLeft + kAcross * static_cast<double>(i % across_),
           top_ + kPanelTop - 44 + kDown * static_cast<double>(row));
    }
    return out_ + "</svg>\n";
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void text(double x, double y, const char* anchor, int size, const char* style,
            std::string_view what, const char* more = "") {
    put("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\" font-size=\"{}\" "
        "class=\"{}\"{}>{}</text>\n",
        x, y, anchor, size, style, more, xml_text(what));
  }
  static const char* color(std::size_t series) { return kColors[series % kColors.size()]; }

  /// Draws one panel; its upper left corner is at x, y.
  void draw(const ScatterPanel& panel, double x, double y) {
    put("<g transform=\"translate({:g} {:g})\">\n", x, y);
    text(0, -22, "start", 13, "t", panel.title, " font-weight=\"600\"");
    text(0, -7, "start", 11, "f", panel.note);
    const Decades decades = decades_of(panel);
    const int many = (decades.last - decades.first + 3) / 4;  // at most four labels per axis
    for (int decade = decades.first; decade <= decades.last; ++decade) {
      const double at = decades.place(std::pow(10, decade));
      put("<path d=\"M{0:.1f} 0V{1:g}M0 {2:.1f}H{1:g}\" class=\"g\"/>\n", at, kSide, kSide - at);
      if ((decade - decades.first) % many != 0) continue;
      text(std::round(at * 10) / 10, kSide + 14, "middle", 10, "f", decade_text(decade));
      text(-5, std::round((kSide - at) * 10) / 10 + 3, "end", 10, "f", decade_text(decade));
    }
    text(kSide / 2, kSide + 29, "middle", 11, "f", scatter_.across);
    text(0, 0, "middle", 11, "f", scatter_.up, " transform=\"translate(-41 100)rotate(-90)\"");
    points(panel);
    put("<path d=\"M0 {0:g}L{0:g} 0\" class=\"d\"/>\n", kSide);
    const double off = kSide * std::log10(1.2) / (decades.last - decades.first);
    const double less = kSide * std::log10(0.8) / (decades.last - decades.first);
    put("<path d=\"M0 {1:.1f}L{2:.1f} 0M{3:.1f} {0:g}L{0:g} {4:.1f}\" class=\"o\"/>\n", kSide,
        kSide - off, kSide - off, -less, -less);
    out_ += "</g>\n";
  }

  /// All dots of one color and density form one path: strokes of zero length with round ends.
  void points(const ScatterPanel& panel) {
    const CellCounts cells = count_cells(panel, step_);
    for (std::size_t series = 0; series < scatter_.series.size(); ++series) {
      for (std::size_t level = 0; level < kDensities.size(); ++level) {
        const std::size_t least = kDensities[level].least;
        const std::size_t end =
            level + 1 < kDensities.size() ? kDensities[level + 1].least : ~std::size_t{0};
        std::string path;
        std::int32_t row = 0, column = 0;
        for (const auto& [place, count] : cells) {
          if (place.series != series || count < least || count >= end) continue;
          fmt::format_to(std::back_inserter(path), "{}{} {}h0", path.empty() ? "M" : "m",
                         place.column - column, place.row - row);
          row = place.row;
          column = place.column;
        }
        if (path.empty()) continue;
        put("<path d=\"{}\" transform=\"scale({:g})\" fill=\"none\" stroke=\"{}\" opacity=\"{}\" "
            "stroke-width=\"{:g}\" stroke-linecap=\"round\"/>\n",
            path, step_, color(series),
            panel.points.size() <= kFewPoints ? "1" : kDensities[level].opacity,
            std::max(2.4, step_) / step_);
      }
    }
  }

  const Scatter& scatter_;
  std::size_t across_, down_, in_line_ = 1;
  double top_ = 0;
  double step_ = 1;
  std::string out_;
};

}  // namespace

std::string scatter_svg(const Scatter& scatter) { return ScatterPicture(scatter).draw(); }

}  // namespace orrery::report

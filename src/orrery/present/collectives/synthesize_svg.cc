// SPDX-License-Identifier: Apache-2.0
//
// Plot of a schedule: which link carries which piece when.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/collectives/synthesize_answer.h"
#include "orrery/report/charts/svg_head.h"

namespace orrery::present {

namespace {

// In pixels.
constexpr double kTimelineLeft = 230, kTimelineWidth = 1000, kTimelineTop = 84;
constexpr double kTimelineRow = 15, kTimelineBar = 12;
constexpr std::size_t kTimelineRows = 48, kTimelineBars = 40'000, kTimelineName = 34;

std::string timeline_text(std::string_view text) {
  std::string made;
  append_xml_text(made, printable(text), "\"");
  return made;
}

/// Used links, of too many evenly spaced ones.
std::vector<std::uint32_t> rows_of(const study::CollectiveSynthesisAnswer& answer,
                                   std::size_t& used) {
  const auto loads = synthesis::link_loads(answer.fabric_state, answer.made.schedule);
  std::vector<std::uint32_t> all, rows;
  for (std::uint32_t wire = 0; wire < loads.size(); ++wire) {
    if (loads[wire] > 0) all.push_back(wire);
  }
  used = all.size();
  const std::size_t drawn = std::min(all.size(), kTimelineRows);
  for (std::size_t i = 0; i < drawn; ++i) rows.push_back(all[i * all.size() / drawn]);
  return rows;
}

/// Of a piece: hues far apart for neighbors, what is added on arrival light.
std::string color_of_piece(std::uint32_t piece, bool reduces) {
  return fmt::format("hsl({},65%,{}%)", piece * 137U % 360U, reduces ? 72 : 45);
}

double timeline_x(const study::CollectiveSynthesisAnswer& answer, Time at) {
  const double duration = std::max<double>(1, static_cast<double>(answer.made.time.count()));
  return kTimelineLeft + kTimelineWidth * static_cast<double>(at.count()) / duration;
}

/// Its title, what it is, and the axis.
std::string timeline_head(const study::CollectiveSynthesisAnswer& answer, std::size_t rows,
                          std::size_t used, double height) {
  const auto& sends = answer.made.schedule.sends;
  const bool adds = std::any_of(sends.begin(), sends.end(),
                                [](const synthesis::Send& send) { return send.reduces != 0; });
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"10\">\n{2}<rect class=\"b\" "
      "width=\"100%\" height=\"100%\"/>\n<text class=\"t\" x=\"12\" y=\"22\" font-size=\"15\">{3} "
      "of {4} on {5}</text>\n<text class=\"f\" x=\"12\" y=\"40\" font-size=\"11\">{6}; bound {7}. "
      "{8} of {9} links; one color per piece{10}</text>\n",
      kTimelineLeft + kTimelineWidth + 30, height, report::kChartStyle,
      timeline_text(answer.collective), format_bytes(answer.size),
      timeline_text(answer.fabric_state.topology->name()), format_time(answer.made.time),
      format_time(answer.made.bound.total), rows, used,
      adds ? ", light if reduced on arrival" : "");
  for (int i = 0; i <= 5; ++i) {
    const Time at(answer.made.time.count() / 5 * i);
    svg += fmt::format(
        "<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\"/>"
        "<text class=\"f\" x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">{4}</text>\n",
        timeline_x(answer, at), kTimelineTop - 6, height - 30, height - 14, format_time(at));
  }
  return svg + fmt::format(
                   "<line x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\" "
                   "stroke=\"#d55e00\" stroke-dasharray=\"4 3\"/><text x=\"{0:.1f}\" y=\"{3:g}\" "
                   "fill=\"#d55e00\" text-anchor=\"end\">bound</text>\n",
                   timeline_x(answer, answer.made.bound.total), kTimelineTop - 12, height - 30,
                   kTimelineTop - 16);
}

}  // namespace

std::string synthesis_svg(const study::CollectiveSynthesisAnswer& answer) {
  const synthesis::Schedule& schedule = answer.made.schedule;
  std::size_t used = 0;
  const std::vector<std::uint32_t> rows = rows_of(answer, used);
  constexpr std::size_t kNoRow = ~std::size_t{0};
  std::vector<std::size_t> row_of(answer.fabric_state.wires.size(), kNoRow);
  for (std::size_t row = 0; row < rows.size(); ++row) row_of[rows[row]] = row;
  const double height = kTimelineTop + kTimelineRow * static_cast<double>(rows.size()) + 34;
  std::string svg = timeline_head(answer, rows.size(), used, height);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string name =
        answer.fabric_state.topology->link_name(answer.fabric_state.wires[rows[row]].link);
    svg +=
        fmt::format("<text class=\"t\" x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n",
                    kTimelineLeft - 6, kTimelineTop + kTimelineRow * static_cast<double>(row) + 10,
                    timeline_text(truncate(name, kTimelineName)));
  }
  std::size_t bars = 0;
  for (const synthesis::Send& send : schedule.sends) {
    const synthesis::Route& route = schedule.routes[send.route];
    Time at = send.start;
    const Time during = schedule.duration(send);
    for (const std::uint32_t wire : schedule.wires_of(route)) {
      const Time start = at;
      at += answer.fabric_state.wires[wire].latency;
      if (row_of[wire] == kNoRow || ++bars > kTimelineBars) continue;
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:g}\" width=\"{:.2f}\" height=\"{:g}\" fill=\"{}\"/>\n",
          timeline_x(answer, start),
          kTimelineTop + kTimelineRow * static_cast<double>(row_of[wire]),
          std::max(0.2, timeline_x(answer, start + during) - timeline_x(answer, start) - 0.15),
          kTimelineBar, color_of_piece(send.piece, send.reduces != 0));
    }
  }
  return svg + "</svg>\n";
}

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
//
// Plot of a fabric.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/clusters/link_fault_text.h"
#include "orrery/present/clusters/topology_answer.h"
#include "orrery/present/clusters/topology_layout.h"
#include "orrery/report/charts/svg_head.h"

namespace orrery::present {

using platform::Link;
using platform::LinkClass;
using platform::LinkIndex;
using platform::Topology;
using study::TopologyAnswer;

namespace {

constexpr std::size_t kMaxFaults = 3;  // listed in the tooltip of a line

constexpr const char* kFabricStyle =
    "<style>.b{fill:#fff}.t{fill:#222}.f{fill:#666}.n{fill:#eef1f5;stroke:#8a929c}"
    ".h{fill:none;stroke:#b9c0c8;stroke-dasharray:4 3}"
    "@media(prefers-color-scheme:dark){.b{fill:#16191d}.t{fill:#e6e6e6}.f{fill:#a0a0a0}"
    ".n{fill:#262b31;stroke:#6b7480}.h{stroke:#4a525c}}</style>\n";

/// Okabe and Ito's colors, by class of link.
const char* color_of(LinkClass kind) {
  constexpr std::array<const char*, platform::kLinkClasses> kColors = {
      "#009e73", "#cc79a7", "#0072b2", "#e69f00", "#999999", "#f0e442", "#56b4e9"};
  return kColors[static_cast<std::size_t>(kind)];
}

class FabricPlot {
 public:
  explicit FabricPlot(const TopologyAnswer& answer)
      : answer_(answer), topology_(answer.topology), layout_(layout_of(answer)) {}

  [[nodiscard]] std::string svg() const;

 private:
  struct Line {
    std::uint32_t links = 0;
    double capacity = 0;
    LinkClass kind = LinkClass::other;
    bool down = false;
    std::vector<std::size_t> faults;  // of any of its links
  };
  /// Both directions of all links between two boxes as one line.
  [[nodiscard]] std::map<std::pair<std::size_t, std::size_t>, Line> lines() const {
    std::map<std::pair<std::size_t, std::size_t>, Line> all;
    for (LinkIndex i = 0; i < topology_.link_count(); ++i) {
      const Link& link = topology_.link(i);
      const std::size_t a = layout_.box_of[link.from], b = layout_.box_of[link.to];
      if (a == b || a == Layout::kNoBox || b == Layout::kNoBox) continue;
      Line& line = all[{std::min(a, b), std::max(a, b)}];
      line.kind = link.figures.kind;
      line.down |= !answer_.down.empty() && answer_.down[i];
      if (a > b) continue;
      ++line.links;
      line.capacity += link.capacity();
    }
    for (std::size_t i = 0; i < answer_.faults.size(); ++i) {
      for (const LinkIndex link : answer_.faults[i].links) {
        const std::size_t a = layout_.box_of[topology_.link(link).from];
        const std::size_t b = layout_.box_of[topology_.link(link).to];
        const auto found = all.find({std::min(a, b), std::max(a, b)});
        if (found == all.end()) continue;
        auto& faults = found->second.faults;
        if (faults.empty() || faults.back() != i) faults.push_back(i);
      }
    }
    return all;
  }
  /// "; down from 10 ms on"
  [[nodiscard]] std::string faults_of(const Line& line) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(kMaxFaults, line.faults.size()); ++i)
      text += "; " + link_fault_text(answer_.faults[line.faults[i]]);
    if (line.faults.size() > kMaxFaults)
      text += fmt::format("; and {} more", line.faults.size() - kMaxFaults);
    return text;
  }

  const TopologyAnswer& answer_;
  const Topology& topology_;
  const Layout layout_;
};

std::string FabricPlot::svg() const {
  const double width = std::max(layout_.right + kSide, 520.0), height = layout_.bottom + 34;
  std::string svg = report::svg_head(
      width, height, 11, kFabricStyle, printable(topology_.name()),
      fmt::format("{} accelerators, {} nodes, {} links (each direction)",
                  answer_.rank_devices.size(), topology_.node_count(), topology_.link_count()));
  double x = 12;
  for (std::size_t i = 0; i < platform::kLinkClasses; ++i) {
    const auto kind = static_cast<LinkClass>(i);
    const auto& links = answer_.facts.links;
    if (std::none_of(links.begin(), links.end(),
                     [&](const platform::LinkGroup& one) { return one.figures.kind == kind; }))
      continue;
    svg += fmt::format(
        "<path d=\"M{0:g} 54h18\" stroke=\"{1}\" stroke-width=\"2\"/><text class=\"f\" x=\"{2:g}\" "
        "y=\"58\">{3}</text>\n",
        x, color_of(kind), x + 22, platform::name(kind));
    x += 90;
  }
  for (const Frame& frame : layout_.frames)
    svg += fmt::format(
        "<rect class=\"h\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\"/>"
        "<text class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        frame.x, frame.y, frame.width, frame.height, frame.x + 4, frame.y + frame.height + 12,
        frame.label);
  for (const auto& [ends, line] : lines()) {
    const Box &a = layout_.boxes[ends.first], &b = layout_.boxes[ends.second];
    const double wide = 0.7 + 0.5 * std::log2(1.0 + line.links);
    // Along a row or a column, a bow that passes what stands between.
    const bool row = std::abs(a.y - b.y) < 1, column = std::abs(a.x - b.x) < 1;
    const double far = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    const double bow =
        row || (column && far > 1.6 * kRowHeight) ? std::min(10 + 0.2 * far, kMaxBow) : 0;
    const std::string path = bow > 0
                                 ? fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x,
                                               a.y, (a.x + b.x) / 2 + (row ? 0 : bow),
                                               (a.y + b.y) / 2 + (row ? bow : 0), b.x, b.y)
                                 : fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" opacity=\"0.75\"{}>"
        "<title>{} to {}: {} link{}, {}{}</title></path>\n",
        path, line.down ? "#d55e00" : color_of(line.kind), wide,
        line.faults.empty() ? "" : " stroke-dasharray=\"3 3\"", xml_text(a.about),
        xml_text(b.about), line.links, line.links == 1 ? "" : "s",
        line.capacity > 0 ? format_bandwidth(Bandwidth(line.capacity)) : "bandwidth not stated",
        faults_of(line));
  }
  for (const Box& box : layout_.boxes)
    svg += fmt::format(
        "<g><title>{}</title><rect class=\"n\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" "
        "height=\"{:g}\" rx=\"3\"/><text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\" font-size=\"{}\">{}</text></g>\n",
        xml_text(box.about), box.x - box.width / 2, box.y - kNodeHeight / 2, box.width, kNodeHeight,
        box.x, box.y + 3.5, box.width < 40 ? 8 : 10, xml_text(printable(box.label)));
  return svg + "</svg>\n";
}

}  // namespace

std::string topology_svg(const TopologyAnswer& answer) { return FabricPlot(answer).svg(); }

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_structure_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/charts/svg_head.h"

namespace orrery::present {
namespace {

using analysis::Block;
using analysis::BlockRole;
using analysis::RankStructure;

// In pixels.
constexpr double kStripLeft = 12, kStripWidth = 1076, kStripsTop = 74, kRow = 24, kBox = 20;
constexpr double kLetter = 6.6;     // a letter's width
constexpr double kMinBox = 0.5;     // narrower ones are not drawn
constexpr double kMinTime = 6;      // nor is what stands in times that are narrower
constexpr std::uint32_t kDeep = 4;  // rows of a strip
constexpr std::size_t kStrips = 8;
constexpr double kLine = 5;  // a line of phases
constexpr std::size_t kTitleLetters = 120;

/// Okabe and Ito's colors, by role.
constexpr std::array<std::pair<BlockRole, std::string_view>, 6> kRoleColors = {{
    {BlockRole::sequence, "#999999"},
    {BlockRole::repetition, "#cc79a7"},
    {BlockRole::forward, "#56b4e9"},
    {BlockRole::backward, "#e69f00"},
    {BlockRole::microbatch, "#009e73"},
    {BlockRole::step, "#f0e442"},
}};
constexpr std::string_view kStripStyle =
    "<style>.b{fill:#fff}.t{fill:#222}.f{fill:#666}.l{fill:#000;font-size:11px}"
    ".s{stroke:#fff;stroke-width:.8}@media(prefers-color-scheme:dark){.b{fill:#16191d}"
    ".t{fill:#e6e6e6}.f{fill:#a0a0a0}.s{stroke:#16191d}}</style>\n";

/// … of phases; nothing for what has none.
constexpr std::array<std::string_view, kStepPhases> kPhaseColors = {"", "#56b4e9", "#e69f00",
                                                                    "#d55e00"};

std::string_view color_of(BlockRole role) {
  return kRoleColors[static_cast<std::size_t>(role)].second;
}

std::string label_of(const Block& block) {
  if (block.role == BlockRole::sequence) return printable(block.begins);
  const bool layers = block.role == BlockRole::forward || block.role == BlockRole::backward;
  return fmt::format("{}{} x {}", analysis::name(block.role), layers ? " layers" : "", block.times);
}

/// Plots the structure of a rank.
class Strip {
 public:
  Strip(bool timed, double top) : timed_(timed), top_(top) {}

  void draw(const std::vector<Block>& parts, double left, double width, std::uint32_t depth) {
    const double whole =
        std::accumulate(parts.begin(), parts.end(), 0.0,
                        [&](double sum, const Block& block) { return sum + weight(block); });
    if (whole <= 0 || depth == kDeep) return;
    for (const Block& block : parts) {
      const double wide = width * weight(block) / whole;
      if (wide >= kMinBox) {
        deepest_ = std::max(deepest_, depth + 1);
        add_box(block, left, wide, depth);
        const double each = wide / block.times;
        if (block.role != BlockRole::sequence && each >= kMinTime)
          for (std::uint32_t time = 0; time < block.times; ++time)
            draw(block.parts, left + time * each, each, depth + 1);
      }
      left += wide;
    }
  }

  /// A line below all boxes: the sequence of passes.
  void draw_phases(const std::vector<analysis::PhaseShare>& passes) {
    const double whole = std::accumulate(
        passes.begin(), passes.end(), 0.0,
        [&](double sum, const analysis::PhaseShare& pass) { return sum + weight(pass); });
    if (whole <= 0) return;
    double left = kStripLeft;
    for (const analysis::PhaseShare& pass : passes) {
      const double wide = kStripWidth * weight(pass) / whole;
      if (wide >= kMinBox && pass.phase != StepPhase::unsaid)
        svg_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\" fill=\"{}\">"
            "<title>{}{}</title></rect>\n",
            left, top_ + kRow * deepest_, wide, kLine,
            kPhaseColors[static_cast<std::size_t>(pass.phase)], name(pass.phase),
            timed_ ? ", " + format_time(pass.time) : std::string());
      left += wide;
    }
    line_ = kLine;
  }

  [[nodiscard]] const std::string& svg() const { return svg_; }
  [[nodiscard]] double height() const { return kRow * deepest_ + line_; }

 private:
  [[nodiscard]] double weight(const Block& block) const {
    return timed_ ? static_cast<double>(block.time.count())
                  : static_cast<double>(block.operations) * block.times;
  }

  [[nodiscard]] double weight(const analysis::PhaseShare& pass) const {
    return timed_ ? static_cast<double>(pass.time.count()) : static_cast<double>(pass.operations);
  }

  void add_box(const Block& block, double left, double wide, std::uint32_t depth) {
    const double y = top_ + kRow * depth;
    const std::string text = label_of(block);
    svg_ += fmt::format(
        "<g><title>{}{}</title><rect x=\"{:.1f}\" y=\"{:g}\" width=\"{:.1f}\" height=\"{:g}\" "
        "rx=\"2\" fill=\"{}\"/>",
        xml_text(text), block.time > Time{} ? ", " + format_time(block.time) : std::string(), left,
        y, std::max(kMinBox, wide - 1), kBox, color_of(block.role));
    const double each = wide / block.times;
    if (block.times > 1 && each >= kMinTime / 2)
      for (std::uint32_t time = 1; time < block.times; ++time)
        svg_ += fmt::format(
            "<line class=\"s\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:g}\" y2=\"{2:g}\"/>",
            left + time * each, y, y + kBox);
    if (block.role != BlockRole::sequence && static_cast<double>(text.size()) * kLetter < wide)
      svg_ += fmt::format("<text class=\"l\" x=\"{:.1f}\" y=\"{:g}\">{}</text>", left + 4, y + 14,
                          xml_text(text));
    svg_ += "</g>\n";
  }

  bool timed_;
  double top_;
  std::uint32_t deepest_ = 1;
  double line_ = 0;
  std::string svg_;
};

std::string shortened_title(std::string text) {
  return text.size() <= kTitleLetters ? text : text.substr(0, kTitleLetters - 3) + "...";
}

/// One strip, and the ranks it represents.
struct RankStrip {
  std::string summary, svg;
  double height = 0;
  bool timed = false;
  std::vector<std::uint32_t> ranks;
};

/// "2,986 operations on stream 7; 16 layers, forward 8 times a step"
std::string summary_of(const RankStructure& found) {
  std::string text = count(found.operations) + " operations";
  if (!found.lane.empty()) text += " on " + printable(found.lane);
  if (found.layers > 0)
    text += fmt::format(
        "; {} layers{}, forward {}", found.layers, found.named ? " by name" : "",
        found.forwards == 1 ? "once a step" : fmt::format("{} times a step", found.forwards));
  if (found.steps > 1) text += fmt::format("; {} steps", found.steps);
  return text;
}

/// Identical ranks share a strip.
std::vector<RankStrip> strips_of(const graph::Workload& workload) {
  std::vector<RankStrip> made;
  std::vector<std::size_t> of_graph;
  for (const graph::GraphRef& graph : workload.graphs) {
    const RankStructure found = analysis::structure(*graph);
    const bool timed = std::any_of(found.parts.begin(), found.parts.end(),
                                   [](const Block& block) { return block.time > Time{}; });
    Strip strip(timed, kRow);
    strip.draw(found.parts, kStripLeft, kStripWidth, 0);
    strip.draw_phases(found.passes);
    RankStrip drawn{summary_of(found), strip.svg(), strip.height(), timed, {}};
    const auto same = std::find_if(made.begin(), made.end(), [&](const RankStrip& other) {
      return other.summary == drawn.summary && other.svg == drawn.svg;
    });
    of_graph.push_back(static_cast<std::size_t>(same - made.begin()));
    if (same == made.end()) made.push_back(std::move(drawn));
  }
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    made[of_graph[workload.graph_of_rank[rank]]].ranks.push_back(rank);
  return made;
}

std::string legend() {
  std::string svg;
  double x = kStripLeft;
  for (const auto& [role, color] : kRoleColors) {
    const std::string_view name = analysis::name(role);
    svg += fmt::format(
        "<rect x=\"{:g}\" y=\"48\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>"
        "<text class=\"f\" x=\"{:g}\" y=\"58\">{}</text>\n",
        x, color, x + 17, name);
    x += 40 + kLetter * static_cast<double>(name.size());
  }
  svg += fmt::format(
      "<rect x=\"{:g}\" y=\"52\" width=\"12\" height=\"{:g}\" fill=\"{}\"/>"
      "<text class=\"f\" x=\"{:g}\" y=\"58\">optimizer</text>\n",
      x, kLine, kPhaseColors[static_cast<std::size_t>(StepPhase::optimizer)], x + 17);
  return svg;
}

}  // namespace

std::string structure_svg(const std::string& name, const graph::Workload& workload) {
  const std::vector<RankStrip> drawn = strips_of(workload);
  std::string strips;
  double y = kStripsTop;
  for (std::size_t i = 0; i < std::min(kStrips, drawn.size()); ++i) {
    const RankStrip& one = drawn[i];
    strips += fmt::format(
        "<g transform=\"translate(0,{:g})\"><text class=\"t\" x=\"{:g}\" y=\"16\">{}</text>\n{}"
        "</g>\n",
        y, kStripLeft,
        xml_text(shortened_title(fmt::format("{}: {}", format_ranks(one.ranks), one.summary))),
        one.svg);
    y += kRow + one.height + 16;
  }
  if (drawn.size() > kStrips) {
    strips += fmt::format("<text class=\"f\" x=\"{:g}\" y=\"{:g}\">and {} that differ</text>\n",
                          kStripLeft, y + 14, drawn.size() - kStrips);
    y += kRow;
  }
  const bool timed =
      std::all_of(drawn.begin(), drawn.end(), [](const RankStrip& one) { return one.timed; });
  const std::string note = fmt::format(
      "repeated blocks, each with its contents below; bottom line: forward, backward and "
      "optimizer; width: {}",
      timed ? "time" : "number of operations");
  return report::svg_head(2 * kStripLeft + kStripWidth, y, 12, kStripStyle,
                          shortened_title(printable(name)), note) +
         legend() + strips + "</svg>\n";
}

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/rank_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "orrery/analysis/workload/rank_structure.h"
#include "orrery/graph/transform/rank_subset.h"

namespace orrery::analysis {
namespace {

using graph::Workload;
using Line = std::vector<std::uint32_t>;

constexpr std::uint32_t kNoLine = ~std::uint32_t{0};

/// Lines of one shape: their ranks have the same offsets from the lowest.
struct Family {
  RankAxisKind kind = RankAxisKind::unsaid;
  std::map<std::uint32_t, Line> lines;  ///< by lowest rank
};
/// By the offsets from the lowest rank, ascending.
using Families = std::map<Line, Family>;

void add(Families& families, Line line, RankAxisKind kind) {
  Line sorted = line;
  std::sort(sorted.begin(), sorted.end());
  const std::uint32_t minimum = sorted.front();
  for (std::uint32_t& rank : sorted) rank -= minimum;
  Family& family = families[sorted];
  family.kind = std::min(family.kind, kind);
  family.lines.try_emplace(minimum, std::move(line));
}

/// Adds lines of ranks that are connected by messages.
void add_connected(const std::vector<std::uint32_t>& leaders, RankAxisKind kind,
                   Families& families) {
  std::map<std::uint32_t, Line> lines;
  for (std::uint32_t rank = 0; rank < leaders.size(); ++rank) lines[leaders[rank]].push_back(rank);
  for (auto& [leader, line] : lines)
    if (line.size() > 1) add(families, std::move(line), kind);
}

Families families_of(const Workload& workload) {
  Families made;
  std::vector<RankStructure> structures;
  for (const graph::GraphRef& graph : workload.graphs) structures.push_back(structure(*graph));
  const auto found = parallelism(workload, structures);
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    for (const GroupUse& use : found[workload.graph_of_rank[rank]].groups)
      add(made, graph::members_of(workload, use.group, rank), use.axis);
  const GraphCommunications all = graph_communications(workload);
  add_connected(message_leaders(workload, all, true), RankAxisKind::context, made);
  add_connected(message_leaders(workload, all, false), RankAxisKind::pipeline, made);
  return made;
}

/// By rank: its line and its position in it. Empty if a rank is on none or on two.
std::vector<std::pair<std::uint32_t, std::uint32_t>> places_on(const std::vector<Line>& lines,
                                                               std::uint32_t ranks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> made(ranks, {kNoLine, 0});
  std::size_t on_lines = 0;
  for (std::uint32_t line = 0; line < lines.size(); ++line) {
    for (std::uint32_t place = 0; place < lines[line].size(); ++place) {
      const std::uint32_t rank = lines[line][place];
      if (rank >= ranks || made[rank].first != kNoLine) return {};
      made[rank] = {line, place};
    }
    on_lines += lines[line].size();
  }
  return on_lines == ranks ? made : std::vector<std::pair<std::uint32_t, std::uint32_t>>{};
}

class Axes {
 public:
  explicit Axes(std::uint32_t ranks) : ranks_(ranks) {}

  void take(const Family& family) {
    std::vector<Line> all;
    for (const auto& [minimum, line] : family.lines) all.push_back(line);
    if (places_on(all, ranks_).empty()) return;
    std::vector<Line> lines;
    for (const Line& line : all) {
      const std::vector<Line> parts = cross_sections(line);
      lines.insert(lines.end(), parts.begin(), parts.end());
    }
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return a.front() < b.front(); });
    const auto same = [&](const Line& line) { return line.size() == lines.front().size(); };
    if (lines.front().size() < 2 || !std::all_of(lines.begin(), lines.end(), same)) return;
    auto where = places_on(lines, ranks_);
    if (where.empty()) return;
    const auto before = std::count_if(
        axes_.begin(), axes_.end(), [&](const RankAxis& axis) { return axis.kind == family.kind; });
    std::string name(key(family.kind));
    if (before > 0) name += fmt::format("{}", before + 1);
    axes_.push_back({family.kind, std::move(name), std::move(lines)});
    places_.push_back(std::move(where));
  }

  [[nodiscard]] std::vector<RankAxis> all() && { return std::move(axes_); }

 private:
  /// Splits the line into parts whose ranks share their positions on all axes that have complete
  /// lines in it.
  [[nodiscard]] std::vector<Line> cross_sections(const Line& line) const {
    std::vector<std::size_t> inside;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      if (contains_complete_lines(line, axis)) inside.push_back(axis);
    std::map<Line, Line> parts;  // by positions on those axes
    for (const std::uint32_t rank : line) {
      Line where;
      for (const std::size_t axis : inside) where.push_back(places_[axis][rank].second);
      parts[where].push_back(rank);
    }
    std::vector<Line> made;
    for (auto& [where, part] : parts) made.push_back(std::move(part));
    return made;
  }
  [[nodiscard]] bool contains_complete_lines(const Line& line, std::size_t axis) const {
    std::map<std::uint32_t, std::size_t> here;  // ranks, by line of the axis
    for (const std::uint32_t rank : line) ++here[places_[axis][rank].first];
    return std::all_of(here.begin(), here.end(), [&](const auto& one) {
      return one.second == axes_[axis].lines[one.first].size();
    });
  }

  std::uint32_t ranks_;
  std::vector<RankAxis> axes_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> places_;  // by axis, rank
};

}  // namespace

std::string_view key(RankAxisKind kind) {
  constexpr std::string_view kKeys[] = {"tp", "cp", "ep", "fsdp", "dp", "pp", "group"};
  return kKeys[static_cast<std::size_t>(kind)];
}

std::vector<RankAxis> rank_axes(const Workload& workload) {
  const Families families = families_of(workload);
  std::vector<const Family*> by_size;
  for (const auto& [offsets, family] : families) by_size.push_back(&family);
  std::stable_sort(by_size.begin(), by_size.end(), [](const Family* a, const Family* b) {
    return a->lines.begin()->second.size() < b->lines.begin()->second.size();
  });
  Axes axes(workload.rank_count());
  for (const Family* family : by_size) axes.take(*family);
  return std::move(axes).all();
}

}  // namespace orrery::analysis

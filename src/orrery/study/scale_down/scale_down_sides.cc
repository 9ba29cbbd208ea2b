// SPDX-License-Identifier: Apache-2.0
//
// Compares a job with its scaled-down version.
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "orrery/analysis/workload/parallelism.h"
#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/spine.h"
#include "orrery/study/scale_down/scale_down_internal.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

constexpr Bytes kMinActivations{1 << 10};

bool carries_activations(analysis::RankAxisKind axis) {
  return axis == analysis::RankAxisKind::tensor || axis == analysis::RankAxisKind::expert;
}

/// Key of equivalent collectives outside layers.
using AlikeOutside = std::tuple<std::string_view, graph::CollectiveType, std::int64_t>;
AlikeOutside alike_outside(const Graph& graph, NodeId n) {
  const graph::Collective& collective = graph.collective(n);
  return {graph.string(collective.group), collective.type, collective.size.count()};
}

/// The last node of a backward pass.
NodeId last_of_passes(const Graph& graph) {
  NodeId last = 0;
  for (NodeId n = 0; n < graph.size(); ++n)
    if (is_work(graph.kind(n)) && graph::passes_of(graph, n).backward) last = n;
  return last;
}

std::vector<bool> activations_of(const Graph& graph, const analysis::Parallelism& found,
                                 const analysis::RankStructure& structure) {
  std::map<std::string_view, analysis::RankAxisKind> axes;
  for (const analysis::GroupUse& use : found.groups) axes[use.group] = use.axis;
  const auto all = analysis::communications(graph);
  std::map<AlikeOutside, std::uint32_t> outside;
  for (const analysis::Communication& one : all)
    if (graph.kind(one.node) == NodeKind::coll && one.position == analysis::LoopPosition::outside)
      ++outside[alike_outside(graph, one.node)];
  const std::uint32_t passes = std::max(1u, structure.forwards) * structure.steps;
  const NodeId last = last_of_passes(graph);
  std::vector<bool> made(graph.size());
  for (const analysis::Communication& one : all) {
    if (graph.kind(one.node) != NodeKind::coll) continue;
    const graph::Collective& collective = graph.collective(one.node);
    const auto axis = axes.find(graph.string(collective.group));
    if (axis == axes.end() || !carries_activations(axis->second)) continue;
    if (collective.size < kMinActivations) continue;
    const bool in_layers = one.position != analysis::LoopPosition::outside;
    const bool each_pass =
        !in_layers && outside[alike_outside(graph, one.node)] >= passes && one.node < last;
    made[one.node] = in_layers || each_pass;
  }
  return made;
}

/// Labels a group with the axes along which its members differ, "cp+dp"; if possible only those
/// with several remaining coordinates.
class GroupLabels {
 public:
  GroupLabels(const std::vector<analysis::RankAxis>& axes, const RankChoice& choice,
              std::uint32_t ranks)
      : choice_(choice), places_(axes.size(), std::vector<std::uint32_t>(ranks)) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      for (const auto& line : axes[axis].lines)
        for (std::uint32_t place = 0; place < line.size(); ++place)
          places_[axis][line[place]] = place;
  }

  [[nodiscard]] std::string of(const std::vector<std::uint32_t>& members) const {
    std::string all, several;
    for (std::size_t axis = 0; axis < places_.size(); ++axis) {
      const auto at = [&](std::uint32_t rank) {
        return rank < places_[axis].size() ? places_[axis][rank] : 0;
      };
      if (std::all_of(members.begin(), members.end(),
                      [&](std::uint32_t member) { return at(member) == at(members.front()); }))
        continue;
      const std::string& key = choice_.axes[axis].key;
      all += (all.empty() ? "" : "+") + key;
      if (choice_.axes[axis].scaled() > 1) several += (several.empty() ? "" : "+") + key;
    }
    return several.empty() ? all : several;
  }

 private:
  const RankChoice& choice_;
  std::vector<std::vector<std::uint32_t>> places_;  // by axis and rank
};

/// Traffic by axis and type.
using CarriedSums = std::map<std::pair<std::string, std::string>, AxisTraffic>;

/// Calls `add(members, type, bytes)` for each collective and message that a rank sends; messages
/// have no members.
template <class Add>
void add_rank(const graph::Workload& workload, std::uint32_t rank, const Add& add) {
  const Graph& graph = workload.graph(rank);
  std::map<std::string_view, std::vector<std::uint32_t>> groups;
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) == NodeKind::send) {
      const graph::PointToPoint& message = graph.point_to_point(n);
      const bool share = message.pieces > 0;
      add({}, "send", share ? 0.0 : static_cast<double>(message.size.count()));
    } else if (graph.kind(n) == NodeKind::coll) {
      const graph::Collective& collective = graph.collective(n);
      auto [group, added] = groups.try_emplace(graph.string(collective.group));
      if (added) group->second = graph::members_of(workload, group->first, rank);
      if (group->second.size() > 1)
        add(group->second, std::string(name(collective.type)),
            graph::bytes_sent_per_member(collective, group->second.size()));
    }
  }
}

}  // namespace

std::vector<std::vector<bool>> activation_collectives(const graph::Workload& workload) {
  std::vector<analysis::RankStructure> structures;
  for (const graph::GraphRef& graph : workload.graphs)
    structures.push_back(analysis::structure(*graph));
  const auto found = analysis::parallelism(workload, structures);
  std::vector<std::vector<bool>> made;
  for (std::size_t i = 0; i < workload.graphs.size(); ++i)
    made.push_back(activations_of(*workload.graphs[i], found[i], structures[i]));
  return made;
}

ScaledSide summarize_side(const Outcome& outcome, const std::vector<std::uint32_t>& ranks) {
  const graph::Workload& workload = outcome.workload();
  ScaledSide made;
  made.ranks = workload.rank_count();
  made.step = outcome.result.end;
  const auto count = static_cast<double>(ranks.size());
  Time compute{}, comm{}, comm_only{}, memory_only{};
  for (const std::uint32_t rank : ranks) {
    const sim::RankResult& result = outcome.result.ranks[rank];
    const Graph& graph = workload.graph(rank);
    made.nodes += graph.size();
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (!is_work(graph.kind(n))) continue;
      made.flops += static_cast<double>(graph.work(n).num_ops) / count;
      made.bytes += static_cast<double>(graph.work(n).tensor_size.count()) / count;
    }
    compute += result.compute;
    comm += result.comm;
    comm_only += result.comm_only;
    memory_only += result.memory_only;
    made.sent += static_cast<double>(result.sent_bytes) / count;
    if (result.peak_memory) made.memory = std::max(made.memory, *result.peak_memory);
  }
  const auto each = [&](Time sum) {
    return Time(sum.count() / static_cast<std::int64_t>(ranks.size()));
  };
  made.compute = each(compute);
  made.comm = each(comm);
  made.comm_only = each(comm_only);
  made.memory_only = each(memory_only);
  made.idle = made.step - made.compute - made.comm_only - made.memory_only;
  return made;
}

std::vector<AxisTraffic> axis_traffic(const graph::Workload& original,
                                      const graph::Workload& scaled,
                                      const std::vector<analysis::RankAxis>& axes,
                                      const RankChoice& choice) {
  const GroupLabels labels(axes, choice, original.rank_count());
  const double share = 1 / static_cast<double>(choice.ranks.size());
  CarriedSums sums;
  const auto line = [&](const std::string& axis, const std::string& type) -> AxisTraffic& {
    AxisTraffic& made = sums[{axis, type}];
    made.axis = axis;
    made.type = type;
    return made;
  };
  for (std::uint32_t i = 0; i < choice.ranks.size(); ++i) {
    add_rank(original, choice.ranks[i],
             [&](const std::vector<std::uint32_t>& members, const std::string& type, double sent) {
               AxisTraffic& one = line(labels.of(members), type);
               one.original_members =
                   std::max(one.original_members, static_cast<std::uint32_t>(members.size()));
               one.original_count += share;
               one.original_sent += sent * share;
             });
    add_rank(scaled, i,
             [&](std::vector<std::uint32_t> members, const std::string& type, double sent) {
               for (std::uint32_t& member : members) member = choice.ranks[member];
               AxisTraffic& one = line(labels.of(members), type);
               one.scaled_members =
                   std::max(one.scaled_members, static_cast<std::uint32_t>(members.size()));
               one.scaled_count += share;
               one.scaled_sent += sent * share;
             });
  }
  std::vector<AxisTraffic> made;
  for (auto& [key, one] : sums) made.push_back(std::move(one));
  return made;
}

double shard_growth(const graph::Workload& original, const RankChoice& choice,
                    const std::vector<analysis::RankAxis>& axes) {
  double growth = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool data = axes[axis].kind == analysis::RankAxisKind::data ||
                      axes[axis].kind == analysis::RankAxisKind::sharded;
    if (!data || choice.axes[axis].scaled() == choice.axes[axis].original) continue;
    bool sharded = false;
    for (const std::uint32_t rank : choice.ranks) {
      const Graph& graph = original.graph(rank);
      for (NodeId n = 0; n < graph.size() && !sharded; ++n) {
        if (graph.kind(n) != NodeKind::coll) continue;
        const graph::Collective& collective = graph.collective(n);
        if (collective.type != graph::CollectiveType::reduce_scatter ||
            collective.size < graph::kMinimumGradientBuffer)
          continue;
        const auto members = graph::members_of(original, graph.string(collective.group), rank);
        const auto on =
            std::find_if(axes[axis].lines.begin(), axes[axis].lines.end(), [&](const auto& line) {
              return std::find(line.begin(), line.end(), rank) != line.end();
            });
        sharded = std::all_of(on->begin(), on->end(), [&](std::uint32_t other) {
          return std::find(members.begin(), members.end(), other) != members.end();
        });
      }
    }
    if (sharded)
      growth *= static_cast<double>(choice.axes[axis].original) / choice.axes[axis].scaled();
  }
  return growth;
}

}  // namespace orrery::study

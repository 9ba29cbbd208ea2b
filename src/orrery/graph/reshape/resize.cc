// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "orrery/graph/structure/loop_periods.h"

namespace orrery::graph {
namespace {

constexpr std::uint64_t kMaxNodes = 1ull << 24;  // of one rank with longer loops; about 4 GB

/// Relation between the period of a dependency and the period of the node that waits for it.
enum class Relation : std::uint8_t {
  unknown,
  same_distance,  ///< constant difference: the previous period, the same one, …
  mirrored,       ///< constant sum
  fixed           ///< always the same period
};

struct Dependency {
  NodeId on = kNoNode;
  Time lag{};
  DependencyKind kind = DependencyKind::unsaid;
};

/// The dependencies of every node.
class Dependencies {
 public:
  explicit Dependencies(const Graph& graph) : first_(graph.size() + 1) {
    for (NodeId n = 0; n < graph.size(); ++n) first_[n + 1] = first_[n] + graph.in_degrees()[n];
    all_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (NodeId n = 0; n < graph.size(); ++n) {
      const auto after = graph.successors(n);
      for (std::size_t i = 0; i < after.size(); ++i)
        all_[next[after[i]]++] = {n, graph.lag(n, i), graph.stated_edge_kind(n, i)};
    }
  }
  [[nodiscard]] std::span<const Dependency> of(NodeId n) const {
    return std::span(all_).subspan(first_[n], first_[n + 1] - first_[n]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Dependency> all_;
};

/// The periods that a loop keeps, and the position of the new ones.
struct LoopEdit {
  std::uint32_t times = 1;  ///< before the change
  std::int64_t more = 0;
  std::uint32_t copied_period = 0;  ///< the period that new ones copy; they are inserted before it
  std::uint32_t front = 0;          ///< number of periods before the new or removed ones

  /// The new number of an old period; nothing if it is removed.
  [[nodiscard]] std::optional<std::uint32_t> new_number(std::uint32_t period) const {
    if (period < front) return period;
    if (more < 0 && period < front + static_cast<std::uint32_t>(-more)) return std::nullopt;
    return static_cast<std::uint32_t>(period + more);
  }
};

/// A node of the result.
struct NewNode {
  NodeId original = kNoNode;
  std::uint32_t period = 0;  ///< in its loop
  bool copy = false;
};

class Resizer {
 public:
  Resizer(const Graph& graph, const Spine& spine, const std::vector<Loop>& loops,
          const std::vector<std::int64_t>& more, NodeClasses& symbols)
      : graph_(graph), periods_(graph, spine, loops, symbols), before_(graph) {
    // LoopPeriods sorts its loops. They do not overlap, so that their first works identify them.
    std::map<std::size_t, std::int64_t> more_of;
    for (std::size_t i = 0; i < loops.size(); ++i) more_of[loops[i].first] = more[i];
    std::uint64_t periods = 0;
    for (std::uint32_t loop = 0; loop < periods_.loops().size(); ++loop) {
      edits_.push_back(edit(loop, more_of[periods_.loops()[loop].first]));
      first_period_.push_back(periods);
      renumbers_ = renumbers_ || are_numbered(graph, spine, periods_.loops()[loop]);
      periods += static_cast<std::uint64_t>(periods_.times(loop) + edits_.back().more);
    }
  }

  /// `nodes`: the original nodes, by NodeId.
  std::vector<NodeSpec> make(const std::vector<NodeSpec>& nodes) {
    place_all();
    std::vector<NodeSpec> result;
    result.reserve(made_.size());
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const NewNode& made = made_[i];
      NodeSpec node = nodes[made.original];
      node.id = i;
      node.deps.clear();
      node.notes.clear();
      if (renumbers_) node.scope.layer = -1;
      if (made.copy) node.duration = mean_duration(made.original);
      for (const Dependency& dependency : before_.of(made.original)) add(made, dependency, node);
      result.push_back(std::move(node));
    }
    return result;
  }

  [[nodiscard]] std::size_t dropped_edges() const { return dropped_edges_; }

 private:
  /// Whether its periods are layers with numbers.
  static bool are_numbered(const Graph& graph, const Spine& spine, const Loop& loop) {
    for (std::size_t i = loop.first; loop.times > 1 && i < loop.first + loop.period; ++i) {
      const std::int32_t layer = graph.scope(spine.works[i]).layer;
      const std::int32_t next = graph.scope(spine.works[i + loop.period]).layer;
      if (layer >= 0 && next >= 0 && layer != next) return true;
    }
    return false;
  }

  [[nodiscard]] LoopEdit edit(std::uint32_t loop, std::int64_t more) const {
    LoopEdit made;
    made.more = more;
    const std::uint32_t times = made.times = periods_.times(loop);
    if (more <= 0) {
      made.front = static_cast<std::uint32_t>((times + more + 1) / 2);
      return made;
    }
    made.copied_period = made.front = typical_period(loop);
    return made;
  }

  /// The period to copy: the middle one of the interior periods with the most common nodes. Never
  /// the first, so that work at the ends stays at the ends. Ranks with equal work choose the same
  /// period, independent of their times.
  [[nodiscard]] std::uint32_t typical_period(std::uint32_t loop) const {
    const std::uint32_t times = periods_.times(loop);
    if (times < 3) return times / 2;
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_slots;
    for (std::uint32_t period = 1; period + 1 < times; ++period) {
      std::vector<std::uint32_t> slots;
      for (const NodeId n : periods_.nodes(loop, period)) slots.push_back(periods_.of(n).slot);
      std::sort(slots.begin(), slots.end());
      by_slots[std::move(slots)].push_back(period);
    }
    const std::vector<std::uint32_t>* most = nullptr;
    for (const auto& [slots, periods] : by_slots)
      if (most == nullptr || periods.size() > most->size() ||
          (periods.size() == most->size() && periods.front() < most->front()))
        most = &periods;
    return (*most)[most->size() / 2];
  }

  /// Whether neighboring periods also have this node. Work that only one period has (the first or
  /// last) is done once and not repeated.
  [[nodiscard]] bool is_repeated(NodeId n) const {
    const LoopPlace& place = periods_.of(n);
    for (const std::int64_t step : {-1, 1})
      if (periods_.at(place.loop, place.period + step, place.slot) != kNoNode) return true;
    return false;
  }

  void put(NodeId original, std::uint32_t loop, std::uint32_t period, bool copy) {
    const auto place = static_cast<std::uint32_t>(made_.size());
    if (loop == kNoLoop) {
      outside_[original] = place;
    } else {
      inside_.emplace(key(loop, period, periods_.of(original).slot), place);
    }
    made_.push_back({original, period, copy});
  }

  /// Creates the nodes of the result in the order of their ids. The copies of a lane's nodes come
  /// before all nodes of the lane in the copied period.
  void place_all() {
    outside_.assign(graph_.size(), kNoNode);
    for (NodeId n = 0; n < graph_.size(); ++n) {
      const LoopPlace& place = periods_.of(n);
      if (!place.in_loop()) {
        put(n, kNoLoop, 0, false);
        continue;
      }
      const LoopEdit& edit = edits_[place.loop];
      if (edit.more > 0 && place.period == edit.copied_period && is_first_of_lane(n, place))
        for (std::int64_t copy = 0; copy < edit.more; ++copy)
          for (const NodeId original : periods_.nodes(place.loop, place.period))
            if (graph_.lane(original) == graph_.lane(n) && is_repeated(original))
              put(original, place.loop, static_cast<std::uint32_t>(edit.copied_period + copy),
                  true);
      if (const auto period = edit.new_number(place.period)) put(n, place.loop, *period, false);
    }
  }

  [[nodiscard]] bool is_first_of_lane(NodeId n, const LoopPlace& place) const {
    for (const NodeId other : periods_.nodes(place.loop, place.period))
      if (graph_.lane(other) == graph_.lane(n)) return other == n;
    return false;
  }

  [[nodiscard]] Time mean_duration(NodeId original) const {
    const LoopPlace& place = periods_.of(original);
    Time sum{};
    std::int64_t count = 0;
    for (std::uint32_t period = 0; period < periods_.times(place.loop); ++period) {
      const NodeId n = periods_.at(place.loop, period, place.slot);
      if (n == kNoNode) continue;
      sum += graph_.duration(n);
      ++count;
    }
    return Time{sum.count() / std::max<std::int64_t>(1, count)};
  }

  /// Whether `n` waits for the node with this loop, period and slot.
  [[nodiscard]] bool waits_for(NodeId n, std::uint32_t loop, std::int64_t period,
                               std::uint32_t slot) const {
    const NodeId on = periods_.at(loop, period, slot);
    return on != kNoNode && graph_.edge(on, n) != kNoNode;
  }

  [[nodiscard]] Relation relation(const LoopPlace& of, const LoopPlace& on) const {
    for (const std::int64_t step : {1, -1}) {
      const NodeId next = periods_.at(of.loop, of.period + step, of.slot);
      if (next == kNoNode) continue;
      const std::int64_t period = on.period;
      if (waits_for(next, on.loop, period, on.slot)) return Relation::fixed;
      if (waits_for(next, on.loop, period + step, on.slot)) return Relation::same_distance;
      if (waits_for(next, on.loop, period - step, on.slot)) return Relation::mirrored;
    }
    return of.loop == on.loop ? Relation::same_distance : Relation::unknown;
  }

  void wait(std::uint32_t place, const Dependency& dependency, NodeSpec& node) const {
    node.deps.push_back(place);
    if (dependency.lag > Time{} || dependency.kind != DependencyKind::unsaid)
      node.notes.push_back({place, dependency.lag, dependency.kind});
  }

  void wait_inside(std::uint32_t loop, std::int64_t period, std::uint32_t slot,
                   const Dependency& dependency, NodeSpec& node) {
    const std::int64_t periods = periods_.times(loop) + edits_[loop].more;
    const auto found = period < 0 || period >= periods
                           ? inside_.end()
                           : inside_.find(key(loop, static_cast<std::uint32_t>(period), slot));
    if (found == inside_.end()) {
      ++dropped_edges_;
    } else {
      wait(found->second, dependency, node);
    }
  }

  /// `original` waits for one period, or for all of them. A dependency on the last period becomes
  /// one on the new last period.
  void add_fixed_dependency(NodeId original, const LoopPlace& on, const Dependency& dependency,
                            NodeSpec& node) {
    const LoopEdit& edit = edits_[on.loop];
    if (on.period + 1 == edit.times) {
      wait_inside(on.loop, edit.times + edit.more - 1, on.slot, dependency, node);
    } else if (const auto period = edit.new_number(on.period)) {
      wait_inside(on.loop, *period, on.slot, dependency, node);
    }
    if (edit.more <= 0 || on.period != edit.copied_period) return;
    const std::int64_t period = on.period;
    const bool all = (period == 0 || waits_for(original, on.loop, period - 1, on.slot)) &&
                     (period + 1 == periods_.times(on.loop) ||
                      waits_for(original, on.loop, period + 1, on.slot));
    if (!all) return;
    for (std::int64_t copy = 0; copy < edit.more; ++copy)
      wait_inside(on.loop, period + copy, on.slot, dependency, node);
  }

  void add(const NewNode& made, const Dependency& dependency, NodeSpec& node) {
    const LoopPlace& of = periods_.of(made.original);
    const LoopPlace& on = periods_.of(dependency.on);
    if (!on.in_loop()) return wait(outside_[dependency.on], dependency, node);
    if (!of.in_loop()) return add_fixed_dependency(made.original, on, dependency, node);
    const std::int64_t was = of.period, other = on.period, now = made.period;
    switch (relation(of, on)) {
      case Relation::same_distance:
        return wait_inside(on.loop, now + other - was, on.slot, dependency, node);
      case Relation::mirrored:
        return wait_inside(on.loop, was + other + edits_[on.loop].more - now, on.slot, dependency,
                           node);
      case Relation::fixed:
        return add_fixed_dependency(made.original, on, dependency, node);
      case Relation::unknown:
        if (made.copy) {
          ++dropped_edges_;
        } else {
          add_fixed_dependency(made.original, on, dependency, node);
        }
    }
  }

  [[nodiscard]] std::uint64_t key(std::uint32_t loop, std::uint32_t period,
                                  std::uint32_t slot) const {
    return (first_period_[loop] + period) << 32 | slot;
  }

  const Graph& graph_;
  LoopPeriods periods_;
  Dependencies before_;
  std::vector<LoopEdit> edits_;              // by loop
  std::vector<std::uint64_t> first_period_;  // by loop: number of its first period among the
                                             // periods of all loops of the result
  std::vector<NewNode> made_;
  std::vector<std::uint32_t> outside_;                       // by node: index in made_
  std::unordered_map<std::uint64_t, std::uint32_t> inside_;  // by key: index in made_
  std::size_t dropped_edges_ = 0;
  bool renumbers_ = false;  // the numbers of layers change, and the result omits them
};

/// Estimated number of nodes of the result: nodes between works of the spine grow in proportion.
std::uint64_t nodes_about(const Graph& graph, const Spine& spine,
                          const std::vector<LoopChange>& loops) {
  const double of_work = static_cast<double>(graph.size()) /
                         static_cast<double>(std::max<std::size_t>(1, spine.works.size()));
  double nodes = graph.size();
  for (const LoopChange& one : loops)
    nodes += of_work * one.loop.period * static_cast<double>(one.more);
  return static_cast<std::uint64_t>(std::max(0.0, nodes));
}

}  // namespace

Result<Graph> resize_loops(const Graph& graph, const Spine& spine,
                           const std::vector<LoopChange>& loops, NodeClasses& symbols,
                           const std::string& where, const DraftTables& tables,
                           Findings& findings) {
  std::vector<Loop> all;
  std::vector<std::int64_t> more;
  for (const LoopChange& one : loops) {
    if (one.loop.times + one.more < 1)
      return fail(Errc::usage, where,
                  fmt::format("{} of {} repetitions cannot be removed", -one.more, one.loop.times),
                  "at least one must remain");
    all.push_back(one.loop);
    more.push_back(one.more);
  }
  if (const std::uint64_t nodes = nodes_about(graph, spine, loops); nodes > kMaxNodes)
    return fail(Errc::limit_exceeded, where,
                fmt::format("about {} nodes in one rank, more than {}", nodes, kMaxNodes),
                "request fewer repetitions");
  GraphDraft draft(graph, where, tables);
  Resizer resizer(graph, spine, all, more, symbols);
  draft.nodes() = resizer.make(draft.nodes());
  if (resizer.dropped_edges() > 0)
    findings.add(FindingCode::edges_dropped, where, resizer.dropped_edges());
  return std::move(draft).finish(findings);
}

}  // namespace orrery::graph

// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/synthesis/bounds/cut_finder.h"
#include "orrery/synthesis/bounds/cut_improvement.h"
#include "orrery/synthesis/bounds/group_demand.h"
#include "orrery/synthesis/bounds/link_weights.h"
#include "orrery/synthesis/bounds/path_lengths.h"
#include "orrery/synthesis/fabric/min_cut.h"

namespace orrery::synthesis {

namespace {

// Limits on evaluated links; each corresponds to a few tenths of a second.
constexpr std::uint64_t kFlowSteps = 40'000'000, kBisectionSteps = 10'000'000,
                        kPathSteps = 20'000'000, kWeightSteps = 10'000'000,
                        kClimbSteps = 20'000'000;
constexpr std::size_t kFlowMembers = 16'384, kKindsOfLinks = 4;

/// Rounded down, so that it is never above the exact time.
Time time_of(double bytes, double capacity) {
  return Time(static_cast<std::int64_t>(bytes / capacity * 1e12 * (1 - 1e-12)));
}

class BoundSearch {
 public:
  /// `groups`: at least one, all of one type.
  BoundSearch(const FabricState& fabric, std::span<const GroupDemand> groups)
      : fabric_(fabric),
        groups_(groups),
        type_(groups.front().type),
        groups_of_(fabric.node_count()),
        inside_(groups.size()),
        roots_(groups.size()),
        members_(distinct_members()),
        finder_(fabric, members_) {}

  Bound run(SwitchCapability in_network, bool thorough) {
    for (const GroupDemand& group_demand : groups_)
      bound_.latency = std::max(bound_.latency, latency(group_demand));
    if (type_ != CollectiveType::barrier) {
      for (const Partition& partition : finder_.partitions()) {
        consider_partition(partition);
        if (in_network == SwitchCapability::forwards && type_ == CollectiveType::all_reduce)
          consider_disjoint_sets(partition);
      }
      if (type_ == CollectiveType::all_to_all) {
        const bool exchanges_tokens = static_cast<bool>(groups_.front().exchange);
        consider_bisections();
        if (!exchanges_tokens) consider_volumes();  // nodes may copy tokens where routes diverge
        if (!exchanges_tokens && thorough) consider_link_weights();
      } else {
        consider_tightest_cuts();
      }
      if (groups_.size() > 1) improve_cuts();
    } else {
      bound_.exact = true;
    }
    bound_.total = std::max(total_, bound_.latency);
    return std::move(bound_);
  }

 private:
  /// The distinct members of all groups.
  std::vector<NodeIndex> distinct_members() {
    std::vector<NodeIndex> all;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      for (const NodeIndex node : groups_[g].members) {
        if (groups_of_[node].empty()) all.push_back(node);
        groups_of_[node].push_back(g);
      }
    }
    return all;
  }

  /// Sets `inside_` and `roots_` for the groups with members in `set`, and returns these groups.
  std::vector<std::uint32_t> count_members(const NodeSet& set) {
    std::vector<std::uint32_t> groups_inside;
    for (const NodeIndex node : set.nodes) {
      for (const std::uint32_t g : groups_of_[node]) {
        if (inside_[g]++ == 0) groups_inside.push_back(g);
        if (node == groups_[g].root) roots_[g] = true;
      }
    }
    return groups_inside;
  }
  void clear_counts(std::span<const std::uint32_t> groups_inside) {
    for (const std::uint32_t g : groups_inside) {
      inside_[g] = 0;
      roots_[g] = false;
    }
  }

  /// Evaluates a boundary that must carry `bytes`; `how` and `what` name it.
  void consider(const char* how, const std::string& what, const CutBoundary& boundary,
                double bytes) {
    if (bytes <= 0 || boundary.capacity <= 0) return;
    const Time time = time_of(bytes, boundary.capacity);
    total_ = std::max(total_, time + boundary.latency);
    if (time < bound_.bandwidth || (time == bound_.bandwidth && !bound_.binding_cut.name.empty()))
      return;
    bound_.bandwidth = time;
    bound_.binding_cut = {how + what,
                          boundary.capacity,
                          bytes,
                          boundary.latency,
                          static_cast<std::uint32_t>(boundary.wires.size()),
                          boundary.wires};
    std::sort(bound_.binding_cut.wires.begin(), bound_.binding_cut.wires.end());
  }
  /// Evaluates both directions of a set, and returns its lower bound in seconds.
  double consider(const NodeSet& set) {
    const std::vector<std::uint32_t> groups_inside = count_members(set);
    double leaves = 0, enters = 0;
    for (const std::uint32_t g : groups_inside) {
      leaves += bytes_leaving(groups_[g], inside_[g], roots_[g]);
      // Bytes that enter the set leave its complement.
      enters += bytes_leaving(groups_[g], groups_[g].ranks - inside_[g], !roots_[g]);
    }
    clear_counts(groups_inside);
    consider("traffic out of ", set.name, set.out, leaves);
    consider("traffic into ", set.name, set.in, enters);
    return std::max(set.out.capacity > 0 ? leaves / set.out.capacity : 0,
                    set.in.capacity > 0 ? enters / set.in.capacity : 0);
  }
  void consider_partition(const Partition& partition) {
    const NodeSet* best = nullptr;
    double most = 0;
    for (const NodeSet& set : partition.sets) {
      const double least = consider(set);
      if (groups_.size() > 1 && set.nodes.size() > 1) units_.push_back(set.nodes);
      if (best != nullptr && least <= most) continue;
      best = &set;
      most = least;
    }
    if (best != nullptr) starts_.push_back(best->nodes);
  }

  /// Improves the best known cuts for several groups.
  void improve_cuts() {
    CutDemand demand;
    demand.groups_of = groups_of_;
    for (const GroupDemand& group_demand : groups_) {
      demand.members.push_back(group_demand.ranks);
      demand.roots.push_back(group_demand.root);
    }
    demand.leaving_bytes = [&](std::uint32_t group, std::int64_t inside, bool root_inside) {
      return bytes_leaving(groups_[group], inside, root_inside);
    };
    std::uint64_t steps = kClimbSteps;
    for (const auto& start : starts_) {
      for (const bool enters : {false, true}) {
        const auto inside = improve_cut(fabric_, demand, units_, start, enters, steps);
        consider(finder_.measure(finder_.describe(inside), inside));
      }
    }
  }

  /// Evaluates the bound that 2 (k - 1) n bytes leave k disjoint sets, and enter them.
  void consider_disjoint_sets(const Partition& partition) {
    CutBoundary out, in;
    double bytes = 0;
    for (const GroupDemand& group_demand : groups_)
      bytes -= 2.0 * static_cast<double>(group_demand.bytes);
    for (const NodeSet& set : partition.sets) {
      const std::vector<std::uint32_t> groups_inside = count_members(set);
      clear_counts(groups_inside);
      for (const std::uint32_t g : groups_inside)
        bytes += 2.0 * static_cast<double>(groups_[g].bytes);
      for (const std::uint32_t wire : set.out.wires) out.add(fabric_, wire);
      for (const std::uint32_t wire : set.in.wires) in.add(fabric_, wire);
    }
    consider("traffic out of ", partition.name, out, bytes);
    consider("traffic into ", partition.name, in, bytes);
  }

  /// Evaluates the tightest cut of each group, and of all groups as if they were one. With several
  /// groups each cut carries the bytes of all of them, but there may be tighter cuts.
  void consider_tightest_cuts() {
    if (members_.size() > kFlowMembers) return;
    bound_.exact = true;
    const std::uint64_t steps = kFlowSteps / groups_.size();
    for (const GroupDemand& group_demand : groups_)
      consider_tightest_cuts(group_demand.members, group_demand.root, steps);
    if (groups_.size() == 1) return;
    if (!is_broadcast_or_reduce(type_)) consider_tightest_cuts(members_, members_.front(), steps);
    bound_.exact = false;
  }
  void consider_tightest_cuts(std::span<const NodeIndex> members, NodeIndex root,
                              std::uint64_t steps) {
    const bool rooted = is_broadcast_or_reduce(type_);
    const bool along = type_ == CollectiveType::all_gather || type_ == CollectiveType::broadcast;
    const bool both = type_ == CollectiveType::all_reduce;
    std::vector<std::int64_t> weight(fabric_.node_count());
    std::vector<NodeIndex> sinks(members.begin(), members.end());
    if (rooted || both) {
      const NodeIndex first = rooted ? root : members.front();
      weight[first] = 1;
      sinks.erase(std::find(sinks.begin(), sinks.end(), first));
    } else {
      for (const NodeIndex node : members) weight[node] = 1;
    }
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      if (!both && (direction == Direction::forward) != along) continue;
      TightCut cut = tightest_cut(fabric_, weight, sinks, direction, steps);
      bound_.exact &= cut.exact;
      // Names the cut by the side with fewer ranks.
      std::size_t ranks = 0;
      for (const NodeIndex node : members_) ranks += cut.inside[node] ? 1 : 0;
      if (2 * ranks > members_.size()) cut.inside.flip();
      const NodeSet set = finder_.measure(finder_.describe(cut.inside), cut.inside);
      consider(set);
      starts_.push_back(set.nodes);
    }
  }

  /// Evaluates the halves of all members, and of each group's members.
  void consider_bisections() {
    for (const NodeSet& set : finder_.bisections(kBisectionSteps)) consider(set);
    for (std::size_t g = 0; groups_.size() > 1 && g < groups_.size(); ++g) {
      const CutFinder finder(fabric_, groups_[g].members);
      for (NodeSet& set : finder.bisections(kBisectionSteps / groups_.size())) {
        set.name += fmt::format(" of group {}", g + 1);
        consider(set);
      }
    }
  }

  /// Evaluates the bound by volume: bytes × links of a kind that they must cross, relative to the
  /// capacity of these links.
  void consider_volumes() {
    std::map<std::pair<platform::LinkClass, double>, std::uint32_t> kinds;
    for (const Wire& wire : fabric_.wires)
      ++kinds[{fabric_.topology->link(wire.link).figures.kind, wire.capacity}];
    std::vector<bool> counts(fabric_.wires.size(), true);
    const std::uint64_t steps = kPathSteps / (1 + std::min(kinds.size(), kKindsOfLinks));
    consider_volume("all links combined", counts, steps);
    if (kinds.size() < 2 || kinds.size() > kKindsOfLinks) return;
    for (const auto& [kind, links] : kinds) {
      for (std::size_t w = 0; w < counts.size(); ++w) {
        const Wire& wire = fabric_.wires[w];
        counts[w] = fabric_.topology->link(wire.link).figures.kind == kind.first &&
                    wire.capacity == kind.second;
      }
      consider_volume(
          fmt::format("all {} links of equal bandwidth combined", platform::name(kind.first)),
          counts, steps);
    }
  }
  void consider_volume(const std::string& name, const std::vector<bool>& counts,
                       std::uint64_t steps) {
    double bytes = 0;
    for (const GroupDemand& group_demand : groups_) {
      const auto crossings =
          min_crossings(fabric_, group_demand.members, counts, steps / groups_.size());
      if (!crossings) return;
      bytes += *crossings * static_cast<double>(group_demand.shard);
    }
    CutBoundary boundary;
    for (std::uint32_t wire = 0; wire < counts.size(); ++wire) {
      if (counts[wire]) boundary.add(fabric_, wire);
    }
    consider("", name, boundary, bytes);
  }

  /// Evaluates the bound from link weights, reported as one cut with the links of large weight.
  void consider_link_weights() {
    std::int64_t most = 0;
    for (const GroupDemand& group_demand : groups_) most = std::max(most, group_demand.shard);
    if (most == 0) return;
    std::vector<ExchangeGroup> all;
    for (const GroupDemand& group_demand : groups_)
      all.push_back({group_demand.members,
                     static_cast<double>(group_demand.shard) / static_cast<double>(most)});
    const auto weights = find_link_weights(fabric_, all, kWeightSteps);
    if (!weights) return;
    CutBoundary any, boundary;
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) any.add(fabric_, wire);
    for (const std::uint32_t wire : weights->wires) boundary.add(fabric_, wire);
    boundary.latency = any.latency;  // the last byte crosses at least one link
    const double least = weights->seconds * static_cast<double>(most) * (1 - 1e-9);
    consider("", fmt::format("{} links that paths must share", boundary.wires.size()), boundary,
             least * boundary.capacity);
  }

  [[nodiscard]] Time latency(const GroupDemand& group_demand) const {
    const std::uint64_t steps = kPathSteps / groups_.size();
    const NodeIndex root[] = {group_demand.root};
    if (type_ == CollectiveType::broadcast)
      return max_path_latency(fabric_, root, group_demand.members, Direction::forward, steps);
    if (type_ == CollectiveType::reduce)
      return max_path_latency(fabric_, root, group_demand.members, Direction::backward, steps);
    return max_path_latency(fabric_, group_demand.members, group_demand.members, Direction::forward,
                            steps);
  }

  const FabricState& fabric_;
  std::span<const GroupDemand> groups_;
  CollectiveType type_;
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by node
  std::vector<std::int64_t> inside_;                   // by group
  std::vector<bool> roots_;
  std::vector<NodeIndex> members_;
  CutFinder finder_;
  std::vector<std::vector<NodeIndex>> starts_, units_;  // starts of improve_cut, and nodes that
                                                        // belong together
  Bound bound_;
  Time total_{};
};

}  // namespace

Result<Bound> joint_lower_bound(const FabricState& fabric, const BoundQuestion& question,
                                std::span<const std::vector<std::uint32_t>> groups) {
  const CollectiveType type = question.type == CollectiveType::reduce_scatter_block
                                  ? CollectiveType::reduce_scatter
                                  : question.type;
  std::vector<GroupDemand> all;
  for (const std::vector<std::uint32_t>& group : groups) {
    auto members = members_of(fabric, group);
    if (!members) return tl::unexpected(members.error());
    if (!is_bounded(type))
      return fail(Errc::usage, std::string(graph::name(type)), "has no lower bound", {});
    if (question.root >= members->size())
      return fail(Errc::usage, "--root",
                  fmt::format("exceeds the last rank: there are {} ranks", members->size()), {});
    if (question.bytes < Bytes{}) return fail(Errc::usage, "--size", "is negative", {});
    if (!is_connected(fabric, *members))
      return fail(Errc::config_conflict, fabric.topology->name(),
                  "some ranks cannot reach each other",
                  "'orrery network show' lists the links that are down");
    const auto ranks = static_cast<std::int64_t>(members->size());
    const NodeIndex root = (*members)[question.root];
    all.push_back({type, question.bytes.count(), question.bytes.count() / ranks, ranks, root,
                   question.exchange, *std::move(members)});
  }
  return BoundSearch(fabric, all).run(question.in_network, question.thorough);
}

Result<Bound> lower_bound_of(const FabricState& fabric, const BoundQuestion& question) {
  return joint_lower_bound(fabric, question, {&question.ranks, 1});
}

Result<Bound> lower_bound_of(const platform::Platform& platform, const BoundQuestion& question) {
  const Result<FabricState> fabric = make_fabric_state(platform);
  if (!fabric) return tl::unexpected(fabric.error());
  return lower_bound_of(*fabric, question);
}

}  // namespace orrery::synthesis

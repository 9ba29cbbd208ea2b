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

// Links that are looked at, at most: each of these is some tenths of a second.
constexpr std::uint64_t kFlowSteps = 40'000'000, kHalfSteps = 10'000'000, kWaySteps = 20'000'000,
                        kWeighSteps = 10'000'000, kClimbSteps = 20'000'000;
constexpr std::size_t kFlowMembers = 16'384, kKindsOfLinks = 4;

/// Rounded so that it is never above what it stands for.
Time time_of(double bytes, double capacity) {
  return Time(static_cast<std::int64_t>(bytes / capacity * 1e12 * (1 - 1e-12)));
}

class Search {
 public:
  /// `groups`: one at least, all of one type.
  Search(const FabricState& fabric, std::span<const GroupDemand> groups)
      : fabric_(fabric),
        groups_(groups),
        type_(groups.front().type),
        groups_of_(fabric.node_count()),
        inside_(groups.size()),
        roots_(groups.size()),
        members_(everyone()),
        finder_(fabric, members_) {}

  Bound run(SwitchCapability in_network, bool thorough) {
    for (const GroupDemand& asked : groups_)
      bound_.latency = std::max(bound_.latency, latency(asked));
    if (type_ != CollectiveType::barrier) {
      for (const Partition& family : finder_.partitions()) {
        consider_family(family);
        if (in_network == SwitchCapability::forwards && type_ == CollectiveType::all_reduce)
          consider_messages(family);
      }
      if (type_ == CollectiveType::all_to_all) {
        const bool copies = static_cast<bool>(groups_.front().exchange);
        halves();
        if (!copies) volumes();  // copies are made where ways part
        if (!copies && thorough) weighed();
      } else {
        tightest();
      }
      if (groups_.size() > 1) climb();
    } else {
      bound_.exact = true;
    }
    bound_.total = std::max(total_, bound_.latency);
    return std::move(bound_);
  }

 private:
  /// All groups' members, each once.
  std::vector<NodeIndex> everyone() {
    std::vector<NodeIndex> all;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      for (const NodeIndex node : groups_[g].members) {
        if (groups_of_[node].empty()) all.push_back(node);
        groups_of_[node].push_back(g);
      }
    }
    return all;
  }

  /// Sets `inside_` and `roots_` for the groups that have members in a set, which are answered.
  std::vector<std::uint32_t> count(const NodeSet& set) {
    std::vector<std::uint32_t> there;
    for (const NodeIndex node : set.nodes) {
      for (const std::uint32_t g : groups_of_[node]) {
        if (inside_[g]++ == 0) there.push_back(g);
        if (node == groups_[g].root) roots_[g] = true;
      }
    }
    return there;
  }
  void forget(std::span<const std::uint32_t> there) {
    for (const std::uint32_t g : there) {
      inside_[g] = 0;
      roots_[g] = false;
    }
  }

  /// What `boundary` has to carry; `how` and `what` name it.
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
  /// How many seconds it needs at least.
  double consider(const NodeSet& set) {
    const std::vector<std::uint32_t> there = count(set);
    double leaves = 0, enters = 0;
    for (const std::uint32_t g : there) {
      leaves += bytes_leaving(groups_[g], inside_[g], roots_[g]);
      // What enters it leaves all else.
      enters += bytes_leaving(groups_[g], groups_[g].ranks - inside_[g], !roots_[g]);
    }
    forget(there);
    consider("what leaves ", set.name, set.out, leaves);
    consider("what enters ", set.name, set.in, enters);
    return std::max(set.out.capacity > 0 ? leaves / set.out.capacity : 0,
                    set.in.capacity > 0 ? enters / set.in.capacity : 0);
  }
  void consider_family(const Partition& family) {
    const NodeSet* best = nullptr;
    double most = 0;
    for (const NodeSet& set : family.sets) {
      const double least = consider(set);
      if (groups_.size() > 1 && set.nodes.size() > 1) units_.push_back(set.nodes);
      if (best != nullptr && least <= most) continue;
      best = &set;
      most = least;
    }
    if (best != nullptr) starts_.push_back(best->nodes);
  }

  /// Sets of several groups, from the best that are known on.
  void climb() {
    CutDemand demand;
    demand.groups_of = groups_of_;
    for (const GroupDemand& asked : groups_) {
      demand.members.push_back(asked.ranks);
      demand.roots.push_back(asked.root);
    }
    demand.leaves = [&](std::uint32_t group, std::int64_t inside, bool root_inside) {
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

  /// 2 (k - 1) n bytes leave k disjoint sets, and enter them.
  void consider_messages(const Partition& family) {
    CutBoundary out, in;
    double bytes = 0;
    for (const GroupDemand& asked : groups_) bytes -= 2.0 * static_cast<double>(asked.bytes);
    for (const NodeSet& set : family.sets) {
      const std::vector<std::uint32_t> there = count(set);
      forget(there);
      for (const std::uint32_t g : there) bytes += 2.0 * static_cast<double>(groups_[g].bytes);
      for (const std::uint32_t wire : set.out.wires) out.add(fabric_, wire);
      for (const std::uint32_t wire : set.in.wires) in.add(fabric_, wire);
    }
    consider("what leaves ", family.name, out, bytes);
    consider("what enters ", family.name, in, bytes);
  }

  /// Of one group the tightest of all. Of several that of each, and of all as if they were one:
  /// what has to pass any of these is what all groups send, but there may be tighter ones.
  void tightest() {
    if (members_.size() > kFlowMembers) return;
    bound_.exact = true;
    const std::uint64_t steps = kFlowSteps / groups_.size();
    for (const GroupDemand& asked : groups_) tightest(asked.members, asked.root, steps);
    if (groups_.size() == 1) return;
    if (type_ != CollectiveType::broadcast && type_ != CollectiveType::reduce)
      tightest(members_, members_.front(), steps);
    bound_.exact = false;
  }
  void tightest(std::span<const NodeIndex> members, NodeIndex root, std::uint64_t steps) {
    const bool rooted = type_ == CollectiveType::broadcast || type_ == CollectiveType::reduce;
    const bool along = type_ == CollectiveType::all_gather || type_ == CollectiveType::broadcast;
    const bool both = type_ == CollectiveType::all_reduce;
    std::vector<std::int64_t> weight(fabric_.node_count());
    std::vector<NodeIndex> wants(members.begin(), members.end());
    if (rooted || both) {
      const NodeIndex first = rooted ? root : members.front();
      weight[first] = 1;
      wants.erase(std::find(wants.begin(), wants.end(), first));
    } else {
      for (const NodeIndex node : members) weight[node] = 1;
    }
    for (const Direction direction : {Direction::along, Direction::against}) {
      if (!both && (direction == Direction::along) != along) continue;
      TightCut cut = tightest_cut(fabric_, weight, wants, direction, steps);
      bound_.exact &= cut.exact;
      // The side with fewer ranks says it shorter.
      std::size_t ranks = 0;
      for (const NodeIndex node : members_) ranks += cut.inside[node] ? 1 : 0;
      if (2 * ranks > members_.size()) cut.inside.flip();
      const NodeSet set = finder_.measure(finder_.describe(cut.inside), cut.inside);
      consider(set);
      starts_.push_back(set.nodes);
    }
  }

  /// Of all members, and of each group's.
  void halves() {
    for (const NodeSet& set : finder_.halves(kHalfSteps)) consider(set);
    for (std::size_t g = 0; groups_.size() > 1 && g < groups_.size(); ++g) {
      const CutFinder own(fabric_, groups_[g].members);
      for (NodeSet& set : own.halves(kHalfSteps / groups_.size())) {
        set.name += fmt::format(" of group {}", g + 1);
        consider(set);
      }
    }
  }

  /// Bytes times links that they have to cross, of a kind, against what those links carry.
  void volumes() {
    std::map<std::pair<platform::LinkClass, double>, std::uint32_t> kinds;
    for (const Wire& wire : fabric_.wires)
      ++kinds[{fabric_.topology->link(wire.link).figures.kind, wire.capacity}];
    std::vector<bool> counts(fabric_.wires.size(), true);
    const std::uint64_t steps = kWaySteps / (1 + std::min(kinds.size(), kKindsOfLinks));
    volume("all links together", counts, steps);
    if (kinds.size() < 2 || kinds.size() > kKindsOfLinks) return;
    for (const auto& [kind, links] : kinds) {
      for (std::size_t w = 0; w < counts.size(); ++w) {
        const Wire& wire = fabric_.wires[w];
        counts[w] = fabric_.topology->link(wire.link).figures.kind == kind.first &&
                    wire.capacity == kind.second;
      }
      volume(fmt::format("all {} links of a kind together", platform::name(kind.first)), counts,
             steps);
    }
  }
  void volume(const std::string& name, const std::vector<bool>& counts, std::uint64_t steps) {
    double bytes = 0;
    for (const GroupDemand& asked : groups_) {
      const auto crossings = min_crossings(fabric_, asked.members, counts, steps / groups_.size());
      if (!crossings) return;
      bytes += *crossings * static_cast<double>(asked.shard);
    }
    CutBoundary boundary;
    for (std::uint32_t wire = 0; wire < counts.size(); ++wire) {
      if (counts[wire]) boundary.add(fabric_, wire);
    }
    consider("", name, boundary, bytes);
  }

  /// As if it were one cut: what its links carry in the time that their weights say.
  void weighed() {
    std::int64_t most = 0;
    for (const GroupDemand& asked : groups_) most = std::max(most, asked.shard);
    if (most == 0) return;
    std::vector<ExchangeGroup> all;
    for (const GroupDemand& asked : groups_)
      all.push_back({asked.members, static_cast<double>(asked.shard) / static_cast<double>(most)});
    const auto weights = find_link_weights(fabric_, all, kWeighSteps);
    if (!weights) return;
    CutBoundary any, boundary;
    for (std::uint32_t wire = 0; wire < fabric_.wires.size(); ++wire) any.add(fabric_, wire);
    for (const std::uint32_t wire : weights->wires) boundary.add(fabric_, wire);
    boundary.latency = any.latency;  // the last byte passes some link
    const double least = weights->seconds * static_cast<double>(most) * (1 - 1e-9);
    consider("", fmt::format("{} links that ways have to share", boundary.wires.size()), boundary,
             least * boundary.capacity);
  }

  [[nodiscard]] Time latency(const GroupDemand& asked) const {
    const std::uint64_t steps = kWaySteps / groups_.size();
    const NodeIndex root[] = {asked.root};
    if (type_ == CollectiveType::broadcast)
      return max_path_latency(fabric_, root, asked.members, Direction::along, steps);
    if (type_ == CollectiveType::reduce)
      return max_path_latency(fabric_, root, asked.members, Direction::against, steps);
    return max_path_latency(fabric_, asked.members, asked.members, Direction::along, steps);
  }

  const FabricState& fabric_;
  std::span<const GroupDemand> groups_;
  CollectiveType type_;
  std::vector<std::vector<std::uint32_t>> groups_of_;  // by node
  std::vector<std::int64_t> inside_;                   // by group
  std::vector<bool> roots_;
  std::vector<NodeIndex> members_;
  CutFinder finder_;
  std::vector<std::vector<NodeIndex>> starts_, units_;  // to climb from, and what belongs together
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
      return fail(Errc::usage, std::string(graph::name(type)), "there is no bound for it", {});
    if (question.root >= members->size())
      return fail(Errc::usage, "--root", fmt::format("there are {} ranks", members->size()), {});
    if (question.bytes < Bytes{}) return fail(Errc::usage, "--size", "is negative", {});
    if (!is_connected(fabric, *members))
      return fail(Errc::config_conflict, fabric.topology->name(),
                  "some of the ranks do not reach each other",
                  "'orrery topology' shows which links are down");
    const auto ranks = static_cast<std::int64_t>(members->size());
    const NodeIndex root = (*members)[question.root];
    all.push_back({type, question.bytes.count(), question.bytes.count() / ranks, ranks, root,
                   question.exchange, *std::move(members)});
  }
  return Search(fabric, all).run(question.in_network, question.thorough);
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

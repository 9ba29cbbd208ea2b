// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/synthesis/bounds_cuts.h"
#include "orrery/synthesis/bounds_flow.h"
#include "orrery/synthesis/bounds_ways.h"
#include "orrery/synthesis/flow_cut.h"

namespace orrery::synthesis {

namespace {

// Links that are looked at, at most: each of these is some tenths of a second.
constexpr std::uint64_t kFlowSteps = 40'000'000, kHalfSteps = 10'000'000, kWaySteps = 20'000'000,
                        kWeighSteps = 10'000'000;
constexpr std::size_t kFlowMembers = 16'384, kKindsOfLinks = 4;

struct Asked {
  CollectiveType type;
  std::int64_t bytes;
  std::int64_t shard;  ///< of one rank: the whole bytes of them that each surely has
  std::int64_t ranks;
  NodeIndex root;
  graph::ExpertExchange exchange;
};

/// What has to leave a set with `inside` of the ranks, in bytes; see bounds.h.
double leaving(const Asked& asked, std::int64_t inside, bool root_inside) {
  const std::int64_t outside = asked.ranks - inside;
  if (inside == 0 || outside == 0) return 0;
  const auto n = static_cast<double>(asked.bytes), shard = static_cast<double>(asked.shard);
  switch (asked.type) {
    case CollectiveType::all_gather:
      return shard * static_cast<double>(inside);
    case CollectiveType::reduce_scatter:
      return shard * static_cast<double>(outside);
    case CollectiveType::all_to_all: {
      if (!asked.exchange)
        return shard * static_cast<double>(inside) * static_cast<double>(outside);
      const graph::ExpertExchange& tokens = asked.exchange;
      const std::int64_t owners = tokens.combine() ? outside : inside;
      const double there = static_cast<double>(tokens.experts) *
                           static_cast<double>(asked.ranks - owners) /
                           static_cast<double>(asked.ranks);
      return static_cast<double>(owners) * n / tokens.top_k *
             graph::any_reached(there, tokens.top_k, tokens.experts);
    }
    case CollectiveType::all_reduce:
      return n;
    case CollectiveType::broadcast:
      return root_inside ? n : 0;
    case CollectiveType::reduce:
      return root_inside ? 0 : n;
    default:
      return 0;
  }
}

/// Rounded so that it is never above what it stands for.
Time time_of(double bytes, double capacity) {
  return Time(static_cast<std::int64_t>(bytes / capacity * 1e12 * (1 - 1e-12)));
}

class Search {
 public:
  Search(const Ground& ground, std::span<const NodeIndex> members, const Asked& asked)
      : ground_(ground), members_(members), asked_(asked), finder_(ground, members, asked.root) {}

  Bound run(InNetwork in_network, bool thorough) {
    bound_.latency = latency();
    if (asked_.type != CollectiveType::barrier) {
      for (const Family& family : finder_.families()) {
        for (const NodeSet& set : family.sets) consider(set);
        if (in_network == InNetwork::forwards && asked_.type == CollectiveType::all_reduce)
          consider_messages(family);
      }
      if (asked_.type == CollectiveType::all_to_all) {
        for (const NodeSet& set : finder_.halves(kHalfSteps)) consider(set);
        if (!asked_.exchange) volumes();  // copies are made where ways part
        if (!asked_.exchange && thorough) weighed();
      } else {
        tightest();
      }
    } else {
      bound_.exact = true;
    }
    bound_.total = std::max(total_, bound_.latency);
    return std::move(bound_);
  }

 private:
  /// What `rim` has to carry; `how` and `what` name it.
  void consider(const char* how, const std::string& what, const Rim& rim, double bytes) {
    if (bytes <= 0 || rim.capacity <= 0) return;
    const Time time = time_of(bytes, rim.capacity);
    total_ = std::max(total_, time + rim.latency);
    if (time < bound_.bandwidth || (time == bound_.bandwidth && !bound_.binds.name.empty())) return;
    bound_.bandwidth = time;
    bound_.binds = {
        how + what, rim.capacity, bytes, rim.latency, static_cast<std::uint32_t>(rim.wires.size()),
        rim.wires};
    std::sort(bound_.binds.wires.begin(), bound_.binds.wires.end());
  }
  void consider(const NodeSet& set) {
    consider("what leaves ", set.name, set.out, leaving(asked_, set.members, set.root));
    // What enters it leaves all else.
    consider("what enters ", set.name, set.in,
             leaving(asked_, asked_.ranks - set.members, !set.root));
  }

  /// 2 (k - 1) n bytes leave k disjoint sets, and enter them.
  void consider_messages(const Family& family) {
    Rim out, in;
    std::int64_t with_ranks = 0;
    for (const NodeSet& set : family.sets) {
      with_ranks += set.members > 0 ? 1 : 0;
      for (const std::uint32_t wire : set.out.wires) out.add(ground_, wire);
      for (const std::uint32_t wire : set.in.wires) in.add(ground_, wire);
    }
    const double bytes =
        2.0 * static_cast<double>(asked_.bytes) * static_cast<double>(with_ranks - 1);
    consider("what leaves ", family.name, out, bytes);
    consider("what enters ", family.name, in, bytes);
  }

  void tightest() {
    if (members_.size() > kFlowMembers) return;
    bound_.exact = true;
    const CollectiveType type = asked_.type;
    const bool rooted = type == CollectiveType::broadcast || type == CollectiveType::reduce;
    const bool along = type == CollectiveType::all_gather || type == CollectiveType::broadcast;
    const bool both = type == CollectiveType::all_reduce;
    std::vector<std::int64_t> weight(ground_.node_count());
    std::vector<NodeIndex> wants(members_.begin(), members_.end());
    if (rooted || both) {
      const NodeIndex root = rooted ? asked_.root : members_.front();
      weight[root] = 1;
      wants.erase(std::find(wants.begin(), wants.end(), root));
    } else {
      for (const NodeIndex node : members_) weight[node] = 1;
    }
    for (const Direction direction : {Direction::along, Direction::against}) {
      if (!both && (direction == Direction::along) != along) continue;
      TightCut cut = tightest_cut(ground_, weight, wants, direction, kFlowSteps);
      bound_.exact &= cut.exact;
      // The side with fewer ranks says it shorter.
      NodeSet set = finder_.measure("", cut.inside);
      if (2 * set.members > asked_.ranks) {
        cut.inside.flip();
        set = finder_.measure("", cut.inside);
      }
      set.name = finder_.describe(cut.inside);
      consider(set);
    }
  }

  /// Bytes times links that they have to cross, of a kind, against what those links carry.
  void volumes() {
    std::map<std::pair<platform::LinkClass, double>, std::uint32_t> kinds;
    for (const Wire& wire : ground_.wires)
      ++kinds[{ground_.topology->link(wire.link).figures.kind, wire.capacity}];
    std::vector<bool> counts(ground_.wires.size(), true);
    const std::uint64_t steps = kWaySteps / (1 + std::min(kinds.size(), kKindsOfLinks));
    volume("all links together", counts, steps);
    if (kinds.size() < 2 || kinds.size() > kKindsOfLinks) return;
    for (const auto& [kind, links] : kinds) {
      for (std::size_t w = 0; w < counts.size(); ++w) {
        const Wire& wire = ground_.wires[w];
        counts[w] = ground_.topology->link(wire.link).figures.kind == kind.first &&
                    wire.capacity == kind.second;
      }
      volume(fmt::format("all {} links of a kind together", platform::name(kind.first)), counts,
             steps);
    }
  }
  void volume(const std::string& name, const std::vector<bool>& counts, std::uint64_t steps) {
    const auto crossings = least_crossings(ground_, members_, counts, steps);
    if (!crossings) return;
    Rim rim;
    for (std::uint32_t wire = 0; wire < counts.size(); ++wire) {
      if (counts[wire]) rim.add(ground_, wire);
    }
    consider("", name, rim, *crossings * static_cast<double>(asked_.shard));
  }

  /// As if it were one cut: what its links carry in the time that their weights say.
  void weighed() {
    const auto weights = weighed_links(ground_, members_, kWeighSteps);
    if (!weights) return;
    Rim all, rim;
    for (std::uint32_t wire = 0; wire < ground_.wires.size(); ++wire) all.add(ground_, wire);
    for (const std::uint32_t wire : weights->wires) rim.add(ground_, wire);
    rim.latency = all.latency;  // the last byte passes some link
    const double least = weights->seconds * static_cast<double>(asked_.shard) * (1 - 1e-9);
    consider("", fmt::format("{} links that ways have to share", rim.wires.size()), rim,
             least * rim.capacity);
  }

  [[nodiscard]] Time latency() const {
    const NodeIndex root[] = {asked_.root};
    if (asked_.type == CollectiveType::broadcast)
      return farthest(ground_, root, members_, Direction::along, kWaySteps);
    if (asked_.type == CollectiveType::reduce)
      return farthest(ground_, root, members_, Direction::against, kWaySteps);
    return farthest(ground_, members_, members_, Direction::along, kWaySteps);
  }

  const Ground& ground_;
  std::span<const NodeIndex> members_;
  const Asked& asked_;
  CutFinder finder_;
  Bound bound_;
  Time total_{};
};

bool is_bounded(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_reduce:
    case CollectiveType::all_to_all:
    case CollectiveType::broadcast:
    case CollectiveType::reduce:
    case CollectiveType::barrier:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<Bound> bound_of(const Ground& ground, const BoundQuestion& question) {
  const auto members = members_of(ground, question.ranks);
  if (!members) return tl::unexpected(members.error());
  const CollectiveType type = question.type == CollectiveType::reduce_scatter_block
                                  ? CollectiveType::reduce_scatter
                                  : question.type;
  if (!is_bounded(type))
    return fail(Errc::usage, std::string(graph::name(type)), "there is no bound for it", {});
  if (question.root >= members->size())
    return fail(Errc::usage, "--root", fmt::format("there are {} ranks", members->size()), {});
  if (question.bytes < Bytes{}) return fail(Errc::usage, "--size", "is negative", {});
  if (!connected(ground, *members))
    return fail(Errc::config_conflict, ground.topology->name(),
                "some of the ranks do not reach each other",
                "'orrery topology' shows which links are down");
  const auto ranks = static_cast<std::int64_t>(members->size());
  const Asked asked{type,  question.bytes.count(),    question.bytes.count() / ranks,
                    ranks, (*members)[question.root], question.exchange};
  return Search(ground, *members, asked).run(question.in_network, question.thorough);
}

Result<Bound> bound_of(const platform::Platform& platform, const BoundQuestion& question) {
  const Result<Ground> ground = ground_of(platform);
  if (!ground) return tl::unexpected(ground.error());
  return bound_of(*ground, question);
}

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/parts/parallel_parts.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "orrery/core/disjoint_sets.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

ParallelParts one_part(std::string why) {
  ParallelParts parts;
  parts.why_one = std::move(why);
  return parts;
}

/// A possible receiver of a rank with this graph, and the smallest message to it.
struct Peer {
  std::int64_t rank;  ///< or offset
  bool relative;
  std::int64_t size;
};

/// The communication of a graph's ranks.
struct GraphTraffic {
  std::vector<std::uint32_t> groups;  ///< of its collectives, as StringId
  std::vector<Peer> peers;
};

GraphTraffic traffic_of(const Graph& graph) {
  GraphTraffic traffic;
  std::vector<Peer>& peers = traffic.peers;
  for (NodeId node = 0; node < graph.size(); ++node) {
    const NodeKind kind = graph.kind(node);
    if (kind == NodeKind::coll) {
      const auto group = static_cast<std::uint32_t>(graph.collective(node).group);
      if (std::find(traffic.groups.begin(), traffic.groups.end(), group) == traffic.groups.end())
        traffic.groups.push_back(group);
    } else if (kind == NodeKind::send && graph.has(node, graph::kHasDst)) {
      const graph::PointToPoint& message = graph.point_to_point(node);
      const Peer peer{message.dst, graph.has(node, graph::kPeerRelative), message.size.count()};
      if (!peers.empty() && peers.back().rank == peer.rank &&
          peers.back().relative == peer.relative) {
        peers.back().size = std::min(peers.back().size, peer.size);
      } else {
        peers.push_back(peer);
      }
    }
  }
  const auto order = [](const Peer& p) { return std::tie(p.relative, p.rank, p.size); };
  std::sort(peers.begin(), peers.end(),
            [&](const Peer& a, const Peer& b) { return order(a) < order(b); });
  const auto same = [](const Peer& a, const Peer& b) {
    return a.relative == b.relative && a.rank == b.rank;
  };
  peers.erase(std::unique(peers.begin(), peers.end(), same), peers.end());
  return traffic;
}

class PartFinder {
 public:
  PartFinder(const graph::Workload& workload, const platform::Platform& platform,
             const model::Network& network, const Communicators& communicators,
             const FoldedWorkload& folded_workload)
      : workload_(workload),
        platform_(platform),
        network_(network),
        communicators_(communicators),
        folded_workload_(folded_workload),
        ranks_(folded_workload.ranks()),
        sets_(ranks_),
        joined_(communicators.all().size(), false) {
    for (const graph::GraphRef& graph : workload.graphs) traffic_.push_back(traffic_of(*graph));
  }

  [[nodiscard]] ParallelParts find() {
    if (!platform_.replay_only) join();
    ParallelParts parts;
    assign_parts(parts);
    if (parts.count < 2) {
      parts.why_one = "collectives join all ranks";
      return parts;
    }
    parts.lookahead.assign(std::size_t{parts.count} * parts.count, kNever);
    if (platform_.replay_only) return parts;  // messages last as long as their nodes
    set_lookahead(parts);
    if (*std::min_element(parts.lookahead.begin(), parts.lookahead.end()) <= 0)
      return one_part("messages take no time");
    add_detours(parts);
    return parts;
  }

 private:
  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const { return folded_workload_.real(rank); }
  [[nodiscard]] const GraphTraffic& traffic(std::uint32_t rank) const {
    return traffic_[workload_.graph_of_rank[real(rank)]];
  }

  void join() {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const Graph& graph = workload_.graph(real(rank));
      for (const std::uint32_t group : traffic(rank).groups) {
        const std::string_view name = graph.string(static_cast<StringId>(group));
        const std::uint32_t found = name.empty() ? 0 : communicators_.find(name, real(rank));
        if (found < Communicators::kOutside) join_members(found);
      }
    }
  }

  void join_members(std::uint32_t communicator) {
    communicator = folded_workload_.communicator(communicator);
    if (joined_[communicator]) return;
    joined_[communicator] = true;
    const Communicator& group = communicators_[communicator];
    const std::uint32_t first = group.representative_at(0).rank;
    for (std::uint32_t representative = 1; representative < group.representative_count();
         ++representative)
      sets_.join(first, group.representative_at(representative).rank);
  }

  // Assigns sets of ranks to parts, in the order of their lowest ranks. Each set is a part; if
  // there are too many, sets go to the current part until it has its share of all nodes.
  void assign_parts(ParallelParts& parts) {
    std::vector<std::uint64_t> nodes(ranks_, 0);
    std::uint64_t all = 0, sets = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint64_t own = workload_.graph(real(rank)).size();
      sets += sets_.find(rank) == rank ? 1 : 0;
      nodes[sets_.find(rank)] += own;
      all += own;
    }
    const std::uint64_t most = std::min<std::uint64_t>(sets, ParallelParts::kMaxParts);
    if (most < 2) return;
    parts.part_of.resize(ranks_);
    std::uint64_t before = 0;  // nodes packed so far
    std::uint64_t part = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (sets_.find(rank) != rank) {
        parts.part_of[rank] = parts.part_of[sets_.find(rank)];
        continue;
      }
      const bool full = sets <= most ? before > 0 : before * most >= (part + 1) * all;
      if (full && part + 1 < most) ++part;
      parts.part_of[rank] = static_cast<std::uint32_t>(part);
      before += nodes[rank];
    }
    parts.count = static_cast<std::uint32_t>(part + 1);
  }

  void set_lookahead(ParallelParts& parts) const {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint32_t part = parts.part_of[rank];
      for (const Peer& peer : traffic(rank).peers) {
        const std::int64_t to = peer.relative ? peer.rank + real(rank) : peer.rank;
        if (to < 0 || to >= static_cast<std::int64_t>(workload_.rank_count()) || peer.size < 0)
          continue;
        const auto number = static_cast<std::uint32_t>(to);
        const std::uint32_t other = parts.part_of[folded_workload_.rank_for(number)];
        if (other == part) continue;
        std::int64_t& least = parts.lookahead[std::size_t{part} * parts.count + other];
        least = std::min(least, network_.uncontended_time(real(rank), number, peer.size));
      }
    }
  }

  // Shortest paths (Floyd and Warshall).
  static void add_detours(ParallelParts& parts) {
    const std::size_t n = parts.count;
    std::vector<std::int64_t>& all = parts.lookahead;
    for (std::size_t by = 0; by < n; ++by) {
      for (std::size_t from = 0; from < n; ++from) {
        const std::int64_t first = all[from * n + by];
        if (first == kNever) continue;
        for (std::size_t to = 0; to < n; ++to) {
          const std::int64_t second = all[by * n + to];
          if (second < kNever - first)
            all[from * n + to] = std::min(all[from * n + to], first + second);
        }
      }
    }
  }

  const graph::Workload& workload_;
  const platform::Platform& platform_;
  const model::Network& network_;
  const Communicators& communicators_;
  const FoldedWorkload& folded_workload_;
  std::uint32_t ranks_;                // simulated ranks
  DisjointSets sets_;                  // of ranks
  std::vector<bool> joined_;           // by communicator
  std::vector<GraphTraffic> traffic_;  // by graph
};

}  // namespace

ParallelParts find_parts(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Network& network, const Communicators& communicators,
                         const FoldedWorkload& folded_workload) {
  if (std::string why = why_one_part(workload, platform, network.traits()); !why.empty())
    return one_part(std::move(why));
  return PartFinder(workload, platform, network, communicators, folded_workload).find();
}

}  // namespace orrery::sim

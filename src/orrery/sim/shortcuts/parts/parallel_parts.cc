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

/// Whom a rank with this graph may send to, and the least it sends.
struct Peer {
  std::int64_t rank;  ///< or distance
  bool relative;
  std::int64_t size;
};

/// What a graph's ranks have to do with others.
struct Ties {
  std::vector<std::uint32_t> groups;  ///< of its collectives, as StringId
  std::vector<Peer> peers;
};

Ties ties_of(const Graph& graph) {
  Ties ties;
  std::vector<Peer>& peers = ties.peers;
  for (NodeId node = 0; node < graph.size(); ++node) {
    const NodeKind kind = graph.kind(node);
    if (kind == NodeKind::coll) {
      const auto group = static_cast<std::uint32_t>(graph.collective(node).group);
      if (std::find(ties.groups.begin(), ties.groups.end(), group) == ties.groups.end())
        ties.groups.push_back(group);
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
  return ties;
}

class Cutter {
 public:
  Cutter(const graph::Workload& workload, const platform::Platform& platform,
         const model::Network& network, const Communicators& communicators,
         const FoldedWorkload& folded_workload)
      : workload_(workload),
        platform_(platform),
        network_(network),
        communicators_(communicators),
        quotient_(folded_workload),
        ranks_(folded_workload.ranks()),
        sets_(ranks_),
        joined_(communicators.all().size(), false) {
    for (const graph::GraphRef& graph : workload.graphs) ties_.push_back(ties_of(*graph));
  }

  [[nodiscard]] ParallelParts cut() {
    if (!platform_.replay_only) join();
    ParallelParts parts;
    pack(parts);
    if (parts.count < 2) {
      parts.why_one = "collectives join all ranks";
      return parts;
    }
    parts.lookahead.assign(std::size_t{parts.count} * parts.count, kNever);
    if (platform_.replay_only) return parts;  // messages take the time of their nodes
    note_delays(parts);
    if (*std::min_element(parts.lookahead.begin(), parts.lookahead.end()) <= 0)
      return one_part("messages take no time");
    add_detours(parts);
    return parts;
  }

 private:
  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const { return quotient_.real(rank); }
  [[nodiscard]] const Ties& ties(std::uint32_t rank) const {
    return ties_[workload_.graph_of_rank[real(rank)]];
  }

  void join() {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const Graph& graph = workload_.graph(real(rank));
      for (const std::uint32_t group : ties(rank).groups) {
        const std::string_view name = graph.string(static_cast<StringId>(group));
        const std::uint32_t found = name.empty() ? 0 : communicators_.find(name, real(rank));
        if (found < Communicators::kOutside) join_members(found);
      }
    }
  }

  void join_members(std::uint32_t communicator) {
    communicator = quotient_.communicator(communicator);
    if (joined_[communicator]) return;
    joined_[communicator] = true;
    const Communicator& group = communicators_[communicator];
    const std::uint32_t first = group.who_plays(0).rank;
    for (std::uint32_t player = 1; player < group.player_count(); ++player)
      sets_.join(first, group.who_plays(player).rank);
  }

  // Sets in the order of their lowest ranks: a part each, or if they are too many each to the part
  // at hand until that has its share of all nodes.
  void pack(ParallelParts& parts) {
    std::vector<std::uint64_t> nodes(ranks_, 0);
    std::uint64_t all = 0, sets = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint64_t own = workload_.graph(real(rank)).size();
      sets += sets_.of(rank) == rank ? 1 : 0;
      nodes[sets_.of(rank)] += own;
      all += own;
    }
    const std::uint64_t most = std::min<std::uint64_t>(sets, ParallelParts::kMaxParts);
    if (most < 2) return;
    parts.part_of.resize(ranks_);
    std::uint64_t before = 0;  // nodes packed so far
    std::uint64_t part = 0;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (sets_.of(rank) != rank) {
        parts.part_of[rank] = parts.part_of[sets_.of(rank)];
        continue;
      }
      const bool full = sets <= most ? before > 0 : before * most >= (part + 1) * all;
      if (full && part + 1 < most) ++part;
      parts.part_of[rank] = static_cast<std::uint32_t>(part);
      before += nodes[rank];
    }
    parts.count = static_cast<std::uint32_t>(part + 1);
  }

  void note_delays(ParallelParts& parts) const {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint32_t part = parts.part_of[rank];
      for (const Peer& peer : ties(rank).peers) {
        const std::int64_t to = peer.relative ? peer.rank + real(rank) : peer.rank;
        if (to < 0 || to >= static_cast<std::int64_t>(workload_.rank_count()) || peer.size < 0)
          continue;
        const auto number = static_cast<std::uint32_t>(to);
        const std::uint32_t other = parts.part_of[quotient_.rank_for(number)];
        if (other == part) continue;
        std::int64_t& least = parts.lookahead[std::size_t{part} * parts.count + other];
        least = std::min(least, network_.alone(real(rank), number, peer.size));
      }
    }
  }

  // Shortest ways (Floyd and Warshall).
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
  const FoldedWorkload& quotient_;
  std::uint32_t ranks_;       // simulated
  DisjointSets sets_;         // of ranks
  std::vector<bool> joined_;  // by communicator
  std::vector<Ties> ties_;    // by graph
};

}  // namespace

ParallelParts find_parts(const graph::Workload& workload, const platform::Platform& platform,
                         const model::Network& network, const Communicators& communicators,
                         const FoldedWorkload& folded_workload) {
  if (std::string why = why_one_part(workload, platform, network.traits()); !why.empty())
    return one_part(std::move(why));
  return Cutter(workload, platform, network, communicators, folded_workload).cut();
}

}  // namespace orrery::sim

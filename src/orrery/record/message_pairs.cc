// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::NodeId;
using graph::NodeKind;

namespace {

struct Entry {
  std::uint32_t src, dst, tag;
  std::int64_t size;
  std::int64_t start;
  std::uint32_t rank;
  NodeId node;

  [[nodiscard]] auto key() const { return std::tie(src, dst, tag, size); }
  [[nodiscard]] auto order() const { return std::tie(src, dst, tag, size, start, node); }
};

}  // namespace

std::uint32_t peer_of(const graph::Graph& graph, std::uint32_t rank, NodeId node) {
  const graph::PointToPoint message = graph.message(node, rank);
  const bool sends = graph.kind(node) == NodeKind::send;
  const bool given = graph.has(node, sends ? graph::kHasDst : graph::kHasSrc);
  return given ? static_cast<std::uint32_t>(sends ? message.dst : message.src) : rank;
}

namespace {

/// The representatives, and the ranks that they exchange messages with. Ascending.
std::vector<std::uint32_t> ranks_with_peers(const RecordingSource& source,
                                            const std::vector<std::uint32_t>& representatives) {
  const std::uint32_t ranks = source.workload.rank_count();
  if (representatives.size() == ranks) return representatives;
  std::vector<bool> needed(ranks);
  for (const std::uint32_t rank : representatives) {
    needed[rank] = true;
    const graph::Graph& graph = source.workload.graph(rank);
    for (const NodeId node : source.recording.detailed_nodes(rank)) {
      const NodeKind kind = graph.kind(node);
      if (kind != NodeKind::send && kind != NodeKind::recv) continue;
      const std::uint32_t peer = peer_of(graph, rank, node);
      if (peer < ranks) needed[peer] = true;
    }
  }
  std::vector<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (needed[rank]) all.push_back(rank);
  return all;
}

}  // namespace

std::vector<NodeId> match_messages(const RecordingSource& source) {
  const sim::Recording& recording = source.recording;
  std::vector<NodeId> partners(recording.details.size(), graph::kNoNode);
  // In a replay, ranks do not wait for each other.
  if (source.platform.replay_only) return partners;
  const bool astra = source.platform.rules == platform::Rules::astra;
  std::vector<Entry> sends, receives;
  const std::vector<std::uint32_t> first = representatives(recording, source.workload.rank_count());
  for (const std::uint32_t rank : ranks_with_peers(source, first)) {
    const graph::Graph& graph = source.workload.graph(rank);
    for (const NodeId node : source.recording.detailed_nodes(rank)) {
      const NodeKind kind = graph.kind(node);
      if (kind != NodeKind::send && kind != NodeKind::recv) continue;
      const sim::NodeTimes& times = recording.at(rank, node);
      if (times.start < 0 || times.end < 0) continue;
      const graph::PointToPoint& message = graph.point_to_point(node);
      const std::uint32_t peer = peer_of(graph, rank, node);
      const std::uint32_t tag = astra ? message.tag % sim::kAstraTags : message.tag;
      const bool out = kind == NodeKind::send;
      (out ? sends : receives)
          .push_back({out ? rank : peer, out ? peer : rank, tag, message.size.count(), times.start,
                      rank, node});
    }
  }
  const auto earlier = [](const Entry& a, const Entry& b) { return a.order() < b.order(); };
  std::sort(sends.begin(), sends.end(), earlier);
  std::sort(receives.begin(), receives.end(), earlier);
  // Other ranks share the nodes of their representative, which may name other peers.
  const auto set = [&](const Entry& of, NodeId partner) {
    if (std::binary_search(first.begin(), first.end(), of.rank))
      partners[recording.detail_index(of.rank, of.node)] = partner;
  };
  for (std::size_t s = 0, r = 0; s < sends.size() && r < receives.size();) {
    if (sends[s].key() < receives[r].key()) {
      ++s;
    } else if (receives[r].key() < sends[s].key()) {
      ++r;
    } else {
      set(sends[s], receives[r].node);
      set(receives[r], sends[s].node);
      ++s;
      ++r;
    }
  }
  return partners;
}

}  // namespace orrery::record

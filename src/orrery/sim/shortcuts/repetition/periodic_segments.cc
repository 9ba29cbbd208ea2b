// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/repetition/periodic_segments.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace orrery::sim {

using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

namespace {

constexpr NodeId kMinPeriods = 4;            // fewer periods save too little
constexpr std::size_t kMaxTriedPeriods = 4;  // number of periods to try
constexpr NodeId kBlock = 16;                // nodes compared at once
constexpr NodeId kShare = 128;  // omits segments that save less than 1 / this of the graph
constexpr std::size_t kMaxCandidates = 256;  // number of candidates to verify
constexpr std::size_t kMaxSlots = 4096;      // maximum of slots for recent nodes, and for distances

/// Hash of what a simulation reads from a node. Of a message's tag, only the difference to the
/// previous message counts. Multiplies several factors independently, because a chain would be too
/// slow.
std::uint32_t hash_of(const Graph& graph, NodeId node, std::uint32_t& last_tag) {
  constexpr std::uint64_t k[] = {0x9e3779b97f4a7c15ull, 0xff51afd7ed558ccdull,
                                 0xc4ceb9fe1a85ec53ull, 0xbf58476d1ce4e5b9ull,
                                 0x94d049bb133111ebull, 0xd6e8feb86659fd93ull};
  const NodeKind kind = graph.kind(node);
  std::uint64_t hash =
      (static_cast<std::uint64_t>(kind) | std::uint64_t{graph.in_degrees()[node]} << 8) * k[0] +
      static_cast<std::uint64_t>(graph.duration(node).count()) * k[1];
  if (kind == NodeKind::coll) {
    const graph::Collective& collective = graph.collective(node);
    hash += static_cast<std::uint64_t>(collective.size.count()) * k[2] +
            (static_cast<std::uint64_t>(collective.group) << 8 |
             static_cast<std::uint64_t>(collective.type)) *
                k[3];
  } else if (is_message(kind)) {
    const graph::PointToPoint& message = graph.point_to_point(node);
    hash += static_cast<std::uint64_t>(message.size.count()) * k[2] +
            (std::uint64_t{static_cast<std::uint32_t>(message.src)} << 32 |
             static_cast<std::uint32_t>(message.dst)) *
                k[3] +
            (message.tag - last_tag) * k[4];
    last_tag = message.tag;
  } else {
    const graph::Work work = graph.work(node);
    hash += static_cast<std::uint64_t>(work.num_ops) * k[2] +
            static_cast<std::uint64_t>(work.tensor_size.count()) * k[3] +
            std::uint64_t{graph.kernel(node)} * k[4];
  }
  std::uint64_t factor = k[5];
  for (const NodeId next : graph.successors(node)) {
    hash += (next - node) * factor;
    factor *= 3;
  }
  return static_cast<std::uint32_t>(hash >> 32 ^ hash);
}

/// All flags except those of tensors.
constexpr unsigned kSeenFlags = graph::kIsCpu | graph::kIsCopy | graph::kIsComm | graph::kIsWait |
                                graph::kHasNumOps | graph::kHasTensorSize | graph::kHasCommType |
                                graph::kHasCommSize | graph::kHasSrc | graph::kHasDst |
                                graph::kHasTag | graph::kHasDims | graph::kHasPriority |
                                graph::kHasCpuAttr | graph::kPeerRelative;

bool same_payload(const Graph& graph, NodeId a, NodeId b) {
  switch (graph.kind(a)) {
    case NodeKind::coll: {
      const graph::Collective &x = graph.collective(a), &y = graph.collective(b);
      const auto parts = [](const graph::Collective& c) {
        return std::tie(c.size, c.group, c.priority, c.root, c.dims_mask, c.dims_count, c.type,
                        c.exchange, c.format);
      };
      return parts(x) == parts(y);
    }
    case NodeKind::send:
    case NodeKind::recv: {
      const graph::PointToPoint &x = graph.point_to_point(a), &y = graph.point_to_point(b);
      return std::tie(x.size, x.src, x.dst) == std::tie(y.size, y.src, y.dst);
    }
    default: {
      const graph::Work x = graph.work(a), y = graph.work(b);
      return std::tie(x.num_ops, x.tensor_size) == std::tie(y.num_ops, y.tensor_size) &&
             graph.kernel(a) == graph.kernel(b);
    }
  }
}

/// Whether two nodes are equal except for the tag of a message.
bool same(const Graph& graph, NodeId a, NodeId b) {
  if (graph.kind(a) != graph.kind(b) || graph.duration(a) != graph.duration(b) ||
      graph.in_degrees()[a] != graph.in_degrees()[b] || !graph.same_flags(a, b, kSeenFlags) ||
      graph.lane(a) != graph.lane(b)) {
    return false;
  }
  const auto x = graph.successors(a), y = graph.successors(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [&](NodeId p, NodeId q) { return p - a == q - b; }) &&
         same_payload(graph, a, b);
}

/// Frequent distances between equal nodes, most promising first. Of several equally good ones, the
/// longest comes first, because it can contain the others.
std::vector<NodeId> likely_periods(const std::vector<std::uint32_t>& hashes) {
  struct Seen {
    std::uint32_t hash = 0;
    NodeId last = graph::kNoNode;
    NodeId distance = 0;
  };
  struct Votes {  // majority vote: one distance per slot
    NodeId distance = 0;
    NodeId count = 0;
  };
  const std::size_t slots = std::min(kMaxSlots, std::bit_ceil(hashes.size()));
  std::vector<Seen> seen(slots);
  std::vector<Votes> votes(slots);
  for (NodeId node = 0; node < hashes.size(); ++node) {
    Seen& slot = seen[hashes[node] & (slots - 1)];
    if (slot.hash != hashes[node] || slot.last == graph::kNoNode) {
      slot = {hashes[node], node, 0};
      continue;
    }
    const NodeId distance = node - slot.last;
    slot.last = node;
    if (std::exchange(slot.distance, distance) != distance) continue;
    Votes& vote = votes[distance & (slots - 1)];
    if (vote.distance == distance) {
      ++vote.count;
    } else if (vote.count == 0) {
      vote = {distance, 1};
    } else {
      --vote.count;
    }
  }
  std::erase_if(votes, [](const Votes& vote) { return vote.count == 0; });
  // If only one node of a period is unique in it, this many nodes repeat.
  const auto nodes = [&](const Votes& vote) {
    return std::min<std::uint64_t>(std::uint64_t{vote.distance} * vote.count, hashes.size());
  };
  std::sort(votes.begin(), votes.end(), [&](const Votes& a, const Votes& b) {
    return std::tuple(nodes(a), a.distance) > std::tuple(nodes(b), b.distance);
  });
  std::vector<NodeId> periods;
  for (const Votes& vote : votes) {
    if (periods.size() == kMaxTriedPeriods) break;
    periods.push_back(vote.distance);
  }
  return periods;
}

/// Appends the candidates that repeat with this period.
void find_runs(const std::vector<std::uint32_t>& hashes, NodeId period,
               std::vector<PeriodicSegment>& to) {
  const auto size = static_cast<NodeId>(hashes.size());
  if (period > size / kMinPeriods) return;
  const NodeId end = size - period;
  NodeId first = 0;
  const NodeId shortest = std::max((kMinPeriods - 1) * period, size / kShare);
  const auto end_at = [&](NodeId node) {
    if (node - first >= shortest) to.push_back({first, node - first + period, period});
    first = node + 1;
  };
  for (NodeId block = 0; block < end; block += kBlock) {
    const NodeId block_end = std::min(end, block + kBlock);
    std::uint32_t differ = 0;
    for (NodeId node = block; node < block_end; ++node)
      differ |= hashes[node] ^ hashes[node + period];
    if (differ == 0) continue;
    const auto differs = [&](NodeId node) { return hashes[node] != hashes[node + period]; };
    NodeId node = block;
    while (!differs(node)) ++node;
    end_at(node);
    if (shortest >= kBlock) {  // no run ends within the block
      first = block_end;
      while (!differs(first - 1)) --first;
      continue;
    }
    for (++node; node < block_end; ++node) {
      if (differs(node)) end_at(node);
    }
  }
  end_at(end);
}

/// Appends the parts of `guess` that do repeat.
void verify(const Graph& graph, const PeriodicSegment& guess, std::vector<PeriodicSegment>& to) {
  const NodeId period = guess.period;
  PeriodicSegment part{guess.first, 0, period};
  const auto end_at = [&](NodeId node) {
    part.length = node - part.first + period;
    if (part.length / kMinPeriods >= period) to.push_back(part);
    part = {node + 1, 0, period};
  };
  const NodeId end = guess.end() - period;
  for (NodeId node = guess.first; node < end; ++node) {
    bool equal = same(graph, node, node + period);
    if (equal && is_message(graph.kind(node))) {
      const std::int64_t step = std::int64_t{graph.point_to_point(node + period).tag} -
                                std::int64_t{graph.point_to_point(node).tag};
      equal = !part.messages || part.tag_shift == step;
      part.tag_shift = part.messages ? part.tag_shift : step;
      part.messages = true;
    }
    if (!equal) end_at(node);
  }
  end_at(end);
}

/// The longer part of `run`, at its beginning or end, that does not overlap a segment of `taken`.
PeriodicSegment cut_free(PeriodicSegment run, const std::vector<PeriodicSegment>& taken) {
  for (const PeriodicSegment& other : taken) {
    if (other.end() <= run.first || run.end() <= other.first) continue;
    const NodeId before = other.first > run.first ? other.first - run.first : 0;
    const NodeId after = run.end() > other.end() ? run.end() - other.end() : 0;
    if (after > before) run.first = other.end();
    run.length = std::max(before, after);
  }
  return run;
}

}  // namespace

std::vector<PeriodicSegment> find_periodic_segments(const Graph& graph) {
  if (graph.spilled_bytes() > 0) return {};  // too large for data by node
  std::vector<std::uint32_t> hashes(graph.size());
  std::uint32_t tag = 0;
  for (NodeId node = 0; node < graph.size(); ++node) hashes[node] = hash_of(graph, node, tag);
  const auto saved = [](const PeriodicSegment& run) { return run.length - 2 * run.period; };
  std::vector<PeriodicSegment> runs;
  for (const NodeId period : likely_periods(hashes)) {
    const std::size_t known = runs.size();
    find_runs(hashes, period, runs);
    const bool most =
        std::any_of(runs.begin() + static_cast<std::ptrdiff_t>(known), runs.end(),
                    [&](const PeriodicSegment& run) { return saved(run) > graph.size() / 2; });
    if (most) break;
  }
  std::erase_if(runs,
                [&](const PeriodicSegment& run) { return saved(run) < graph.size() / kShare; });
  std::sort(runs.begin(), runs.end(), [&](const PeriodicSegment& a, const PeriodicSegment& b) {
    return std::tuple(saved(b), a.period, a.first) < std::tuple(saved(a), b.period, b.first);
  });
  runs.resize(std::min(runs.size(), kMaxCandidates));
  std::vector<PeriodicSegment> found;
  for (const PeriodicSegment& run : runs) {
    const PeriodicSegment free = cut_free(run, found);
    if (free.length / kMinPeriods >= free.period && saved(free) >= graph.size() / kShare)
      verify(graph, free, found);
  }
  std::sort(found.begin(), found.end(),
            [](const PeriodicSegment& a, const PeriodicSegment& b) { return a.first < b.first; });
  return found;
}

}  // namespace orrery::sim

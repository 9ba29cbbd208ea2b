// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {
constexpr std::size_t kMostNodes = 64;

std::string why_waiting(const Run& run, const MessageState& messages, const Chunks& chunks,
                        std::uint32_t rank, NodeId node) {
  const graph::Graph& graph = run.graph_of(rank);
  if (graph.kind(node) == NodeKind::recv) {
    const graph::PointToPoint message = graph.message(node, run.real(rank));
    std::string text =
        fmt::format("receive of {} bytes, tag {}, from rank {}: no matching send arrived",
                    message.size.count(), message.tag, message.src);
    for (const auto& [key, box, used] : messages.mailboxes.entries()) {
      const bool same = key.src == static_cast<std::uint32_t>(message.src) &&
                        key.dst == run.real(rank) && key.tag == message.tag;
      if (used && same && box.arrived > 0)
        return text + fmt::format("; one of {} bytes did", key.size);
    }
    return text;
  }
  if (graph.kind(node) == NodeKind::coll) {
    const graph::Collective& collective = graph.collective(node);
    std::uint64_t missing = 0;
    std::uint32_t first_missing = kNone;
    const std::string group =
        run.workload.group_name(graph.string(collective.group), run.real(rank));
    const std::uint32_t found = run.communicators.find(graph.string(collective.group), rank);
    const Communicator& members = run.communicators[found >= Communicators::kOutside ? 0 : found];
    const std::uint32_t member = members.member(rank);
    const ChunkSequence& issued = chunks.sequence(found >= Communicators::kOutside ? 0 : found);
    for (std::uint32_t m = 0; m < issued.next.size(); ++m) {
      if (issued.next[m] >= issued.next[member]) continue;
      ++missing;
      if (first_missing == kNone) first_missing = members.ranks.empty() ? m : members.ranks[m];
    }
    std::string text = fmt::format("{} of {} bytes in group \"{}\": ", graph::name(collective.type),
                                   collective.size.count(), group);
    if (missing == 0) return text + "its members issued different collectives in this place";
    return text + fmt::format("{} members have not issued it, the first is rank {}", missing,
                              first_missing);
  }
  return fmt::format("{} is still in progress", graph::name(graph.kind(node)));
}

}  // namespace

StallReport stall_report(const Run& run, const MessageState& messages, const Chunks& chunks) {
  StallReport report;
  report.at = Time(run.now());
  std::vector<std::uint32_t> waits_for(run.ground.states.size(), kNone);
  for (std::uint32_t rank = 0; rank < run.ground.states.size(); ++rank) {
    if (run.ground.states[rank].finished) continue;
    ++report.unfinished_ranks;
    const graph::Graph& graph = run.graph_of(rank);
    for (NodeId node = 0; node < graph.size(); ++node) {
      const NodeTimes times = run.pages == nullptr
                                  ? run.ground.times[run.ground.first_times[rank] + node]
                                  : run.pages->known(rank, node);
      if (times.start < 0 || times.end >= 0) continue;
      if (graph.kind(node) == NodeKind::recv) {
        waits_for[rank] = static_cast<std::uint32_t>(graph.message(node, run.real(rank)).src);
      }
      if (report.nodes.size() < kMostNodes)
        report.nodes.push_back(
            {run.real(rank), node, why_waiting(run, messages, chunks, rank, node)});
    }
  }
  // A circle of receives, if following "waits for" comes back to where it began.
  for (std::uint32_t first = 0; first < waits_for.size() && report.circle.empty(); ++first) {
    std::vector<std::uint32_t> path;
    std::uint32_t rank = first;
    while (rank < waits_for.size() && std::find(path.begin(), path.end(), rank) == path.end() &&
           path.size() < 1024) {
      path.push_back(rank);
      rank = waits_for[rank];
    }
    const auto start = std::find(path.begin(), path.end(), rank);
    for (auto it = start; it != path.end(); ++it)
      report.circle.push_back(fmt::format("rank {}", *it));
    if (first > 4096) break;  // large runs: the first thousands show the pattern
  }
  return report;
}

std::vector<ChainLink> longest_chain(Run& run, Nodes& nodes, const MessageState& messages) {
  std::vector<ChainLink> links;
  std::uint32_t slowest = 0;
  for (std::uint32_t rank = 1; rank < run.ground.results.size(); ++rank) {
    if (run.ground.results[rank].finish.value_or(Time{}) >
        run.ground.results[slowest].finish.value_or(Time{}))
      slowest = rank;
  }
  std::uint32_t rank = slowest;
  const auto times = [&](NodeId node) -> const NodeTimes& {
    return run.ground.times[run.ground.first_times[rank] + node];
  };
  // With folding the chain goes through the ranks themselves, whoever was simulated for them.
  std::uint32_t number = run.real(rank);
  std::vector<bool> settled(run.ground.states.size());
  NodeId last = graph::kNoNode;
  for (NodeId node = 0; node < run.graph_of(rank).size(); ++node) {
    if (times(node).end >= 0 && (last == graph::kNoNode || times(node).end > times(last).end))
      last = node;
  }
  for (NodeId node = last; node != graph::kNoNode && links.size() < run.ground.times.size();) {
    if (!run.policy.first_come && !settled[rank]) {
      nodes.settle_releases(rank);
      settled[rank] = true;
    }
    const NodeTimes& ran = times(node);
    const bool waited = ran.sender != kNone;
    links.push_back({number, node, Time(waited ? ran.end : ran.start), Time(ran.end)});
    if (!waited) {
      node = ran.released_by;
      continue;
    }
    number = static_cast<std::uint32_t>(run.workload.graph(number).message(node, number).src);
    const std::size_t before =
        messages.first_senders.empty() ? 0 : messages.first_senders[run.ground.parts.part_of[rank]];
    std::tie(rank, node) = messages.senders[before + ran.sender];
  }
  std::reverse(links.begin(), links.end());
  return links;
}

}  // namespace orrery::sim

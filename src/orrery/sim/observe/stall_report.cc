// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/stall_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {
constexpr std::size_t kMaxNodes = 64;

std::string why_waiting(const EngineRun& run, const MessageState& messages, const ChunkPool& chunks,
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
        return text + fmt::format("; a send of {} bytes arrived", key.size);
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
      if (first_missing == kNone) first_missing = members.rank_at(m);
    }
    std::string text = fmt::format("{} of {} bytes in group \"{}\": ", graph::name(collective.type),
                                   collective.size.count(), group);
    if (missing == 0) return text + "its members issued different collectives at this position";
    return text + fmt::format("{} members have not issued it; the first is rank {}", missing,
                              first_missing);
  }
  return fmt::format("{} is still in progress", graph::name(graph.kind(node)));
}

}  // namespace

StallReport stall_report(const EngineRun& run, const MessageState& messages,
                         const ChunkPool& chunks) {
  StallReport report;
  report.at = Time(run.now());
  std::vector<std::uint32_t> waits_for(run.shared.states.size(), kNone);
  for (std::uint32_t rank = 0; rank < run.shared.states.size(); ++rank) {
    if (run.shared.states[rank].finished) continue;
    ++report.unfinished_ranks;
    const graph::Graph& graph = run.graph_of(rank);
    for (NodeId node = 0; node < graph.size(); ++node) {
      const NodeTimes times = run.pages == nullptr
                                  ? run.shared.times[run.shared.layout.index(rank, node)]
                                  : run.pages->known(rank, node);
      if (times.start < 0 || times.end >= 0) continue;
      if (graph.kind(node) == NodeKind::recv) {
        waits_for[rank] = static_cast<std::uint32_t>(graph.message(node, run.real(rank)).src);
      }
      if (report.nodes.size() < kMaxNodes)
        report.nodes.push_back(
            {run.real(rank), node, why_waiting(run, messages, chunks, rank, node)});
    }
  }
  // A cycle of receives: following "waits for" returns to the first rank.
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

}  // namespace orrery::sim

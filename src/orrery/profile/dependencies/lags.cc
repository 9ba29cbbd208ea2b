// SPDX-License-Identifier: Apache-2.0
//
// Finds lags between the end of a dependency and the begin of a work: launch latency, the gap
// between two works, and waits.
#include <algorithm>

#include "orrery/core/statistics/statistics.h"
#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

/// Maximum gap between two works, or between a launch and its work, without another cause. On the
/// A100s and V100s of docs/reference/traces.md, half of all launches take 4 to 8 us.
constexpr Time kGap = us(20);

/// A work that began late, and the end of all its known dependencies.
struct LateWork {
  NodePosition place = kNone;
  Time ready{};
};

std::vector<LateWork> find_late(const DependencyDraft& draft) {
  std::vector<Time> ready(draft.nodes.size(), Time{-1});
  for (const DraftEdge& edge : draft.edges)
    ready[edge.to] = std::max(ready[edge.to], draft.ends[edge.from]);
  std::vector<LateWork> late;
  for (const Stream& stream : draft.streams) {
    for (const EventId work : stream.works) {
      const NodePosition place = draft.node_of[work];
      if (ready[place] >= Time{} && draft.event(place).start - ready[place] > kGap)
        late.push_back({place, ready[place]});
    }
  }
  return late;
}

/// All works of the rank, ascending by end.
std::vector<std::pair<Time, NodePosition>> by_end(const DependencyDraft& draft) {
  std::vector<std::pair<Time, NodePosition>> ends;
  for (const Stream& stream : draft.streams) {
    for (const EventId work : stream.works)
      ends.emplace_back(draft.profile.events[work].end(), draft.node_of[work]);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// The median of lags.
class MedianLag {
 public:
  void add(Time lag) { all_.push_back(lag); }
  [[nodiscard]] Time median() { return upper_median(all_); }

 private:
  std::vector<Time> all_;
};

/// The dependencies of one work.
struct IncomingEdges {
  std::span<Dependency> edges;
  Dependency* last = nullptr;  ///< the dependency that ended last; null: none
  Time ready{};                ///< its end
};

IncomingEdges incoming_of(const DependencyDraft& draft, Dependencies& made, std::uint32_t node) {
  IncomingEdges incoming{
      {made.edges.data() + made.first[node], made.first[node + 1] - made.first[node]}};
  for (Dependency& edge : incoming.edges) {
    const Time end = draft.ends[draft.node_of[edge.from]];
    if (incoming.last != nullptr && end < incoming.ready) continue;
    if (incoming.last != nullptr && end == incoming.ready && edge.kind >= incoming.last->kind)
      continue;
    incoming.last = &edge;
    incoming.ready = end;
  }
  return incoming;
}

}  // namespace

void infer_waits(DependencyDraft& draft) {
  const std::vector<LateWork> late = find_late(draft);
  if (late.empty() || draft.streams.size() < 2) return;
  const auto ends = by_end(draft);
  std::uint64_t learned = 0;
  for (const LateWork& work : late) {
    const Event& event = draft.event(work.place);
    auto found = std::upper_bound(ends.begin(), ends.end(), std::make_pair(event.start, kNone));
    while (found != ends.begin()) {
      --found;
      if (found->first <= work.ready || event.start - found->first > kGap) break;
      if (draft.event(found->second).lane == event.lane) continue;
      if (draft.ends[found->second] >= draft.ends[work.place]) continue;
      draft.edges.push_back({found->second, work.place, DependencyKind::learned, true});
      ++learned;
      break;
    }
  }
  if (learned > 0) draft.findings.add(FindingCode::wait_learned, draft.profile.where, learned);
}

void find_lags(DependencyDraft& draft, Dependencies& made) {
  MedianLag launches, gaps;
  std::uint64_t waits = 0;
  const auto for_each_work = [&](const auto& act) {
    for (std::uint32_t node = 0; node < made.nodes.size(); ++node) {
      const Event& event = draft.profile.events[made.nodes[node]];
      if (!is_device_work(event.kind)) continue;
      const IncomingEdges incoming = incoming_of(draft, made, node);
      if (incoming.last != nullptr) act(event, incoming);
    }
  };
  for_each_work([&](const Event& event, const IncomingEdges& incoming) {
    const Time lag = std::max(Time{}, event.start - incoming.ready);
    if (incoming.last->kind == DependencyKind::launch && lag <= kGap) launches.add(lag);
  });
  const Time launch = launches.median();
  // A work that was just launched need not have waited for works that ended since.
  const auto had_just_launched = [&](const Event& event, const IncomingEdges& incoming) {
    return std::any_of(incoming.edges.begin(), incoming.edges.end(), [&](const Dependency& edge) {
      return edge.kind == DependencyKind::launch && &edge != incoming.last &&
             event.start - draft.ends[draft.node_of[edge.from]] <= launch;
    });
  };
  for_each_work([&](const Event& event, const IncomingEdges& incoming) {
    incoming.last->lag = std::max(Time{}, event.start - incoming.ready);
    if (incoming.last->lag > kGap) {
      --made.counts[static_cast<std::size_t>(incoming.last->kind)];
      incoming.last->kind = DependencyKind::recorded_wait;
      ++made.counts[static_cast<std::size_t>(incoming.last->kind)];
      ++waits;
    } else if (incoming.last->kind != DependencyKind::launch &&
               !had_just_launched(event, incoming)) {
      gaps.add(incoming.last->lag);
    }
  });
  const Time gap = gaps.median();
  for_each_work([&](const Event& event, const IncomingEdges& incoming) {
    if (had_just_launched(event, incoming)) incoming.last->lag = std::min(incoming.last->lag, gap);
    for (Dependency& edge : incoming.edges) {
      if (&edge == incoming.last) continue;
      const Time room = std::max(Time{}, event.start - draft.ends[draft.node_of[edge.from]]);
      edge.lag = std::min(room, edge.kind == DependencyKind::launch ? launch : gap);
    }
  });
  if (waits > 0) draft.findings.add(FindingCode::recorded_wait, draft.profile.where, waits);
}

}  // namespace orrery::profile::draft

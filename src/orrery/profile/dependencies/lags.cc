// SPDX-License-Identifier: Apache-2.0
//
// What lies between the end of what a work waited for and its own beginning: launch latency, the
// change from one work to the next, and waits.
#include <algorithm>

#include "orrery/core/statistics/statistics.h"
#include "orrery/profile/dependencies/draft.h"

namespace orrery::profile::draft {
namespace {

/// The most that goes by between two works, or a launch and its work, when nothing is in the way.
/// On the A100s and V100s of docs/reference/traces.md half of all launches take 4 to 8 us.
constexpr Time kGap = us(20);

/// A work, and when all it is known to wait for had ended.
struct Late {
  NodePosition place = kNone;
  Time ready{};
};

std::vector<Late> find_late(const DependencyDraft& draft) {
  std::vector<Time> ready(draft.nodes.size(), Time{-1});
  for (const DraftEdge& edge : draft.edges)
    ready[edge.to] = std::max(ready[edge.to], draft.at[edge.from]);
  std::vector<Late> late;
  for (const Stream& stream : draft.streams) {
    for (const EventId work : stream.works) {
      const NodePosition place = draft.node_of[work];
      if (ready[place] >= Time{} && draft.event(place).start - ready[place] > kGap)
        late.push_back({place, ready[place]});
    }
  }
  return late;
}

/// All works of the rank by their ends.
std::vector<std::pair<Time, NodePosition>> by_end(const DependencyDraft& draft) {
  std::vector<std::pair<Time, NodePosition>> ends;
  for (const Stream& stream : draft.streams) {
    for (const EventId work : stream.works)
      ends.emplace_back(draft.profile.events[work].end(), draft.node_of[work]);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

/// A middle one of what is usual.
class Usual {
 public:
  void add(Time lag) { all_.push_back(lag); }
  [[nodiscard]] Time find() { return upper_median(all_); }

 private:
  std::vector<Time> all_;
};

/// The dependencies of one work.
struct Coming {
  std::span<Dependency> edges;
  Dependency* last = nullptr;  ///< that ended last; null: there is none
  Time ready{};                ///< … when
};

Coming coming_of(const DependencyDraft& draft, Dependencies& made, std::uint32_t node) {
  Coming coming{{made.edges.data() + made.first[node], made.first[node + 1] - made.first[node]}};
  for (Dependency& edge : coming.edges) {
    const Time end = draft.at[draft.node_of[edge.from]];
    if (coming.last != nullptr && end < coming.ready) continue;
    if (coming.last != nullptr && end == coming.ready && edge.kind >= coming.last->kind) continue;
    coming.last = &edge;
    coming.ready = end;
  }
  return coming;
}

}  // namespace

void infer_waits(DependencyDraft& draft) {
  const std::vector<Late> late = find_late(draft);
  if (late.empty() || draft.streams.size() < 2) return;
  const auto ends = by_end(draft);
  std::uint64_t learned = 0;
  for (const Late& one : late) {
    const Event& event = draft.event(one.place);
    auto found = std::upper_bound(ends.begin(), ends.end(), std::make_pair(event.start, kNone));
    while (found != ends.begin()) {
      --found;
      if (found->first <= one.ready || event.start - found->first > kGap) break;
      if (draft.event(found->second).lane == event.lane) continue;
      if (draft.at[found->second] >= draft.at[one.place]) continue;
      draft.edges.push_back({found->second, one.place, DependencyKind::learned, true});
      ++learned;
      break;
    }
  }
  if (learned > 0) draft.findings.add(FindingCode::wait_learned, draft.profile.where, learned);
}

void find_lags(DependencyDraft& draft, Dependencies& made) {
  Usual launches, changes;
  std::uint64_t waits = 0;
  const auto is_late = [&](std::uint32_t node, const auto& act) {
    const Event& event = draft.profile.events[made.nodes[node]];
    if (!is_device_work(event.kind)) return;
    const Coming coming = coming_of(draft, made, node);
    if (coming.last != nullptr) act(event, coming);
  };
  const auto every_late = [&](const auto& act) {
    for (std::uint32_t node = 0; node < made.nodes.size(); ++node) is_late(node, act);
  };
  every_late([&](const Event& event, const Coming& coming) {
    const Time lag = std::max(Time{}, event.start - coming.ready);
    if (coming.last->kind == DependencyKind::launch && lag <= kGap) launches.add(lag);
  });
  const Time launch = launches.find();
  // What was just being launched need not have waited for what else had ended since.
  const auto was_launching = [&](const Event& event, const Coming& coming) {
    return std::any_of(coming.edges.begin(), coming.edges.end(), [&](const Dependency& edge) {
      return edge.kind == DependencyKind::launch && &edge != coming.last &&
             event.start - draft.at[draft.node_of[edge.from]] <= launch;
    });
  };
  every_late([&](const Event& event, const Coming& coming) {
    coming.last->lag = std::max(Time{}, event.start - coming.ready);
    if (coming.last->lag > kGap) {
      --made.counts[static_cast<std::size_t>(coming.last->kind)];
      coming.last->kind = DependencyKind::recorded_wait;
      ++made.counts[static_cast<std::size_t>(coming.last->kind)];
      ++waits;
    } else if (coming.last->kind != DependencyKind::launch && !was_launching(event, coming)) {
      changes.add(coming.last->lag);
    }
  });
  const Time change = changes.find();
  every_late([&](const Event& event, const Coming& coming) {
    if (was_launching(event, coming)) coming.last->lag = std::min(coming.last->lag, change);
    for (Dependency& edge : coming.edges) {
      if (&edge == coming.last) continue;
      const Time room = std::max(Time{}, event.start - draft.at[draft.node_of[edge.from]]);
      edge.lag = std::min(room, edge.kind == DependencyKind::launch ? launch : change);
    }
  });
  if (waits > 0) draft.findings.add(FindingCode::recorded_wait, draft.profile.where, waits);
}

}  // namespace orrery::profile::draft

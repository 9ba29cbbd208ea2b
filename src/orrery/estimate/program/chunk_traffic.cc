// SPDX-License-Identifier: Apache-2.0
#include "orrery/estimate/program/chunk_traffic.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace orrery::estimate {

namespace {

struct PhaseEvent {
  std::int64_t at = 0;
  std::uint32_t number = 0, chunk = 0, phase = 0;

  /// The order in which phases run: by time, then in the order of issue.
  friend bool operator>(const PhaseEvent& a, const PhaseEvent& b) {
    return std::tie(a.at, a.number, a.chunk, a.phase) > std::tie(b.at, b.number, b.chunk, b.phase);
  }
};

struct DimensionQueue {
  std::deque<PhaseEvent> waiting;
  std::int64_t running = 0;

  /// Inserts `one` before the first that it precedes.
  template <class Before>
  void wait(const PhaseEvent& one, const Before& before) {
    auto place = waiting.end();
    while (place != waiting.begin() && before(one.number, std::prev(place)->number)) --place;
    waiting.insert(place, one);
  }
};

using EventQueue = std::priority_queue<PhaseEvent, std::vector<PhaseEvent>, std::greater<>>;

}  // namespace

std::vector<std::int64_t> collective_ends(std::span<const IssuedCollective> issued,
                                          const ChunkQueueing& queueing) {
  std::vector<std::int64_t> ends;
  EventQueue arrivals, departures;
  for (std::uint32_t i = 0; i < issued.size(); ++i) {
    ends.push_back(issued[i].ready);
    for (std::uint32_t c = 0; c < issued[i].work->chunks.size(); ++c)
      if (!issued[i].work->chunks[c].empty()) arrivals.push({issued[i].ready, i, c, 0});
  }
  std::map<std::uint32_t, DimensionQueue> queues;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const auto one = std::pair(issued[a].ready, a), other = std::pair(issued[b].ready, b);
    return queueing.last_first ? one > other : one < other;
  };
  const auto phase_of = [&](const PhaseEvent& one) {
    return issued[one.number].work->chunks[one.chunk][one.phase];
  };
  const auto start = [&](DimensionQueue& queue, std::int64_t now) {
    while (queue.running < queueing.servers && !queue.waiting.empty()) {
      PhaseEvent next = queue.waiting.front();
      queue.waiting.pop_front();
      ++queue.running;
      next.at = now + phase_of(next).time;
      departures.push(next);
    }
  };
  while (!arrivals.empty() || !departures.empty()) {
    std::int64_t now = arrivals.empty() ? departures.top().at : arrivals.top().at;
    if (!departures.empty()) now = std::min(now, departures.top().at);
    std::vector<DimensionQueue*> touched;
    while (!departures.empty() && departures.top().at == now) {
      PhaseEvent one = departures.top();
      departures.pop();
      DimensionQueue& queue = queues[phase_of(one).queue];
      --queue.running;
      touched.push_back(&queue);
      ends[one.number] = std::max(ends[one.number], now);
      if (++one.phase < issued[one.number].work->chunks[one.chunk].size()) arrivals.push(one);
    }
    while (!arrivals.empty() && arrivals.top().at == now) {
      DimensionQueue& queue = queues[phase_of(arrivals.top()).queue];
      queue.wait(arrivals.top(), before);
      arrivals.pop();
      touched.push_back(&queue);
    }
    for (DimensionQueue* queue : touched) start(*queue, now);
  }
  return ends;
}

std::int64_t ConcurrentCollectives::add(std::int64_t ready, const ChunkWork& work,
                                        std::uint64_t number, const ChunkQueueing& queueing,
                                        const DelayHandler& report_delay) {
  constexpr std::size_t kMaxFollowed = 12;
  std::int64_t from = ready;
  for (const RunningCollective& one : all_)
    if (one.end > ready) from = std::min(from, one.issued.ready);
  std::erase_if(all_, [&](const RunningCollective& one) { return one.end <= from; });
  if (all_.size() == kMaxFollowed) all_.erase(all_.begin());
  all_.push_back({{ready, &work}, 0, number});
  if (all_.size() == 1 && work.isolated_duration > 0)
    return all_.front().end = ready + work.isolated_duration;
  std::vector<IssuedCollective> issued;
  for (const RunningCollective& one : all_) issued.push_back(one.issued);
  const auto ends = collective_ends(issued, queueing);
  for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
    if (all_[i].end == ends[i]) continue;
    report_delay(all_[i].number, all_[i].end, ends[i]);
    all_[i].end = ends[i];
  }
  return all_.back().end = ends.back();
}

void ConcurrentCollectives::delay(std::int64_t by, std::uint64_t from) {
  for (RunningCollective& one : all_) {
    if (one.number < from) continue;
    one.issued.ready += by;
    one.end += by;
  }
}

}  // namespace orrery::estimate

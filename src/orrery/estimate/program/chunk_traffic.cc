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

struct ChunkAt {
  std::int64_t at = 0;
  std::uint32_t number = 0, chunk = 0, phase = 0;

  /// Whoever is first.
  friend bool operator>(const ChunkAt& a, const ChunkAt& b) {
    return std::tie(a.at, a.number, a.chunk, a.phase) > std::tie(b.at, b.number, b.chunk, b.phase);
  }
};

struct Line {
  std::deque<ChunkAt> waiting;
  std::int64_t running = 0;

  /// In front of the first that it goes before.
  template <class Before>
  void wait(const ChunkAt& one, const Before& before) {
    auto place = waiting.end();
    while (place != waiting.begin() && before(one.number, std::prev(place)->number)) --place;
    waiting.insert(place, one);
  }
};

using Soonest = std::priority_queue<ChunkAt, std::vector<ChunkAt>, std::greater<>>;

}  // namespace

std::vector<std::int64_t> ends_of(std::span<const Issued> issued, const ChunkQueueing& queueing) {
  std::vector<std::int64_t> ends;
  Soonest arrivals, leaving;
  for (std::uint32_t i = 0; i < issued.size(); ++i) {
    ends.push_back(issued[i].ready);
    for (std::uint32_t c = 0; c < issued[i].work->chunks.size(); ++c)
      if (!issued[i].work->chunks[c].empty()) arrivals.push({issued[i].ready, i, c, 0});
  }
  std::map<std::uint32_t, Line> lines;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const auto one = std::pair(issued[a].ready, a), other = std::pair(issued[b].ready, b);
    return queueing.last_first ? one > other : one < other;
  };
  const auto phase_of = [&](const ChunkAt& one) {
    return issued[one.number].work->chunks[one.chunk][one.phase];
  };
  const auto start = [&](Line& line, std::int64_t now) {
    while (line.running < queueing.servers && !line.waiting.empty()) {
      ChunkAt next = line.waiting.front();
      line.waiting.pop_front();
      ++line.running;
      next.at = now + phase_of(next).time;
      leaving.push(next);
    }
  };
  while (!arrivals.empty() || !leaving.empty()) {
    std::int64_t now = arrivals.empty() ? leaving.top().at : arrivals.top().at;
    if (!leaving.empty()) now = std::min(now, leaving.top().at);
    std::vector<Line*> touched;
    while (!leaving.empty() && leaving.top().at == now) {
      ChunkAt one = leaving.top();
      leaving.pop();
      Line& line = lines[phase_of(one).queue];
      --line.running;
      touched.push_back(&line);
      ends[one.number] = std::max(ends[one.number], now);
      if (++one.phase < issued[one.number].work->chunks[one.chunk].size()) arrivals.push(one);
    }
    while (!arrivals.empty() && arrivals.top().at == now) {
      Line& line = lines[phase_of(arrivals.top()).queue];
      line.wait(arrivals.top(), before);
      arrivals.pop();
      touched.push_back(&line);
    }
    for (Line* line : touched) start(*line, now);
  }
  return ends;
}

std::int64_t ConcurrentCollectives::add(std::int64_t ready, const ChunkWork& work,
                                        std::uint64_t number, const ChunkQueueing& queueing,
                                        const Moved& moved) {
  constexpr std::size_t kMost = 12;
  std::int64_t from = ready;
  for (const One& one : all_)
    if (one.end > ready) from = std::min(from, one.issued.ready);
  std::erase_if(all_, [&](const One& one) { return one.end <= from; });
  if (all_.size() == kMost) all_.erase(all_.begin());
  all_.push_back({{ready, &work}, 0, number});
  if (all_.size() == 1 && work.alone > 0) return all_.front().end = ready + work.alone;
  std::vector<Issued> issued;
  for (const One& one : all_) issued.push_back(one.issued);
  const auto ends = ends_of(issued, queueing);
  for (std::size_t i = 0; i + 1 < all_.size(); ++i) {
    if (all_[i].end == ends[i]) continue;
    moved(all_[i].number, all_[i].end, ends[i]);
    all_[i].end = ends[i];
  }
  return all_.back().end = ends.back();
}

void ConcurrentCollectives::move_on(std::int64_t by, std::uint64_t from) {
  for (One& one : all_) {
    if (one.number < from) continue;
    one.issued.ready += by;
    one.end += by;
  }
}

}  // namespace orrery::estimate

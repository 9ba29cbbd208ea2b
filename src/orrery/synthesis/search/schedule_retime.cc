// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/schedule_retime.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <unordered_map>

#include "orrery/core/check.h"
#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

namespace {

/// The sends that wait for each send, in compressed rows.
struct SendDependencies {
  std::vector<std::uint32_t> first, next;
  std::vector<std::uint32_t> count;  // by send: number of sends for which it waits
};

SendDependencies dependencies_of(const Schedule& schedule) {
  const auto sends = static_cast<std::uint32_t>(schedule.sends.size());
  std::vector<std::uint32_t> by_piece(sends);
  std::iota(by_piece.begin(), by_piece.end(), 0u);
  std::stable_sort(by_piece.begin(), by_piece.end(), [&](std::uint32_t a, std::uint32_t b) {
    return schedule.sends[a].piece < schedule.sends[b].piece;
  });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::unordered_map<NodeIndex, std::vector<std::uint32_t>> sends_into;
  for (std::uint32_t begin = 0; begin < sends;) {
    std::uint32_t end = begin;
    const std::uint32_t piece = schedule.sends[by_piece[begin]].piece;
    sends_into.clear();
    for (; end < sends && schedule.sends[by_piece[end]].piece == piece; ++end)
      sends_into[schedule.routes[schedule.sends[by_piece[end]].route].to].push_back(by_piece[end]);
    for (std::uint32_t i = begin; i < end; ++i) {
      const Send& send = schedule.sends[by_piece[i]];
      const auto found = sends_into.find(schedule.routes[send.route].from);
      if (found == sends_into.end()) continue;
      for (const std::uint32_t other : found->second) {
        if (schedule.arrival(schedule.sends[other]) <= send.start)
          edges.emplace_back(other, by_piece[i]);
      }
    }
    begin = end;
  }
  SendDependencies dependencies;
  dependencies.first.assign(sends + std::size_t{1}, 0);
  dependencies.count.assign(sends, 0);
  for (const auto& [a, b] : edges) {
    ++dependencies.first[a + std::size_t{1}];
    ++dependencies.count[b];
  }
  for (std::uint32_t i = 0; i < sends; ++i)
    dependencies.first[i + std::size_t{1}] += dependencies.first[i];
  dependencies.next.resize(edges.size());
  std::vector<std::uint32_t> at(dependencies.first.begin(), dependencies.first.end() - 1);
  for (const auto& [a, b] : edges) dependencies.next[at[a]++] = b;
  return dependencies;
}

class ScheduleRetimer {
 public:
  ScheduleRetimer(const FabricState& fabric, const Schedule& schedule)
      : schedule_(schedule),
        dependencies_(dependencies_of(schedule)),
        queue_(schedule.routes.size()),
        is_blocked_(schedule.routes.size()),
        last_tried_(schedule.routes.size(), -1),
        extra_delay_(schedule.wires.size()) {
    std::vector<Time> least(fabric.wires.size(), kTimeMax);
    for (const bool set : {false, true}) {
      for (const Route& route : schedule.routes) {
        Time before{};
        for (std::uint32_t i = 0; i < route.count; ++i) {
          const std::uint32_t wire = schedule.wires[route.first + i];
          if (set) extra_delay_[route.first + i] = before - least[wire];
          least[wire] = std::min(least[wire], before);
          before += fabric.wires[wire].latency;
        }
      }
    }
    for (const Wire& wire : fabric.wires) free_capacity_.push_back(wire.rate());
    waiting_.resize(free_capacity_.size());
  }

  Schedule run() {
    for (std::uint32_t send = 0; send < schedule_.sends.size(); ++send) {
      if (dependencies_.count[send] == 0) enqueue(send);
    }
    std::int64_t now = 0;
    for (;;) {
      try_candidates(now);
      if (buckets_.empty()) break;
      auto node = buckets_.extract(buckets_.begin());
      now = node.key();
      ++round_;
      for (const auto& [wire, rate] : node.mapped().released) release(wire, rate);
      for (const std::uint32_t send : node.mapped().arrived) {
        for (std::uint32_t i = dependencies_.first[send]; i < dependencies_.first[send + 1]; ++i) {
          if (--dependencies_.count[dependencies_.next[i]] == 0) enqueue(dependencies_.next[i]);
        }
      }
    }
    ORRERY_CHECK(sends_.size() == schedule_.sends.size());
    return {schedule_.groups, schedule_.pieces, schedule_.routes, schedule_.wires,
            std::move(sends_)};
  }

 private:
  struct Bucket {
    std::vector<std::pair<std::uint32_t, std::int64_t>> released;
    std::vector<std::uint32_t> arrived;
  };
  using Queue = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

  void candidate(std::uint32_t route) {
    if (is_blocked_[route] || last_tried_[route] == round_) return;
    last_tried_[route] = round_;
    candidates_.push_back(route);
  }
  void enqueue(std::uint32_t send) {
    const std::uint32_t route = schedule_.sends[send].route;
    queue_[route].push(send);
    candidate(route);
  }
  void release(std::uint32_t wire, std::int64_t rate) {
    free_capacity_[wire] += rate;
    for (const std::uint32_t route : waiting_[wire]) {
      is_blocked_[route] = false;
      candidate(route);
    }
    waiting_[wire].clear();
  }
  void try_candidates(std::int64_t now) {
    order_.clear();
    for (const std::uint32_t route : candidates_) {
      if (!queue_[route].empty()) order_.emplace_back(queue_[route].top(), route);
    }
    candidates_.clear();
    std::sort(order_.begin(), order_.end());
    for (const auto& [first, route] : order_) {
      while (!queue_[route].empty() && send(route, now)) {
      }
    }
  }
  bool send(std::uint32_t number, std::int64_t now) {
    const Route& route = schedule_.routes[number];
    const auto wires = schedule_.wires_of(route);
    for (const std::uint32_t wire : wires) {
      if (free_capacity_[wire] >= route.rate) continue;
      waiting_[wire].push_back(number);
      is_blocked_[number] = true;
      return false;
    }
    const std::uint32_t index = queue_[number].top();
    queue_[number].pop();
    Send send = schedule_.sends[index];
    send.start = Time(now);
    const std::int64_t end = now + schedule_.duration(send).count();
    for (std::uint32_t i = 0; i < route.count; ++i) {
      free_capacity_[wires[i]] -= route.rate;
      buckets_[end + extra_delay_[route.first + i].count()].released.emplace_back(wires[i],
                                                                                  route.rate);
    }
    buckets_[end + route.latency.count()].arrived.push_back(index);
    sends_.push_back(send);
    return true;
  }

  const Schedule& schedule_;
  SendDependencies dependencies_;
  std::vector<Queue> queue_;  // by route: sends in the order of their numbers
  std::vector<bool> is_blocked_;
  std::vector<std::int64_t> last_tried_;
  std::vector<Time> extra_delay_;  // by entry of Schedule::wires; see LinkUse
  std::vector<std::int64_t> free_capacity_;
  std::vector<std::vector<std::uint32_t>> waiting_;
  std::map<std::int64_t, Bucket> buckets_;
  std::vector<std::uint32_t> candidates_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;
  std::vector<Send> sends_;
  std::int64_t round_ = 0;
};

}  // namespace

Schedule retime_schedule(const FabricState& fabric, const Schedule& schedule) {
  return ScheduleRetimer(fabric, schedule).run();
}

Schedule join_schedules(const Schedule& scatter, const Schedule& gather, std::int64_t chunks,
                        std::int64_t parts) {
  Schedule all;
  all.groups = scatter.groups;
  all.pieces = pieces_of(all.groups, chunks * parts);
  for (Piece& piece : all.pieces) piece.from = piece.to = kAllMembers;
  all.routes = scatter.routes;
  all.wires = scatter.wires;
  const auto first_route = static_cast<std::uint32_t>(all.routes.size());
  const auto first_wire = static_cast<std::uint32_t>(all.wires.size());
  for (Route route : gather.routes) {
    route.first += first_wire;
    all.routes.push_back(route);
  }
  all.wires.insert(all.wires.end(), gather.wires.begin(), gather.wires.end());
  const Time duration = scatter.end();
  // In part p, piece `chunk` of a shard is its piece p × chunks + chunk.
  const auto number = [&](std::uint32_t piece, std::int64_t part) {
    const std::int64_t shard = piece / chunks, chunk = piece % chunks;
    return static_cast<std::uint32_t>((shard * parts + part) * chunks + chunk);
  };
  all.sends.reserve(static_cast<std::size_t>(parts) * (scatter.sends.size() + gather.sends.size()));
  for (std::int64_t part = 0; part < parts; ++part) {
    for (const Send& send : scatter.sends)
      all.sends.push_back({number(send.piece, part), send.route, 1, send.start + duration * part});
    for (const Send& send : gather.sends)
      all.sends.push_back({number(send.piece, part), send.route + first_route, 0,
                           send.start + duration * (part + 1)});
  }
  if (parts > 1) sort_sends(all.sends);
  return all;
}

}  // namespace orrery::synthesis

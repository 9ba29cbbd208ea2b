// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/stream_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "orrery/synthesis/search/methods/gather_search.h"

namespace orrery::synthesis {

namespace {

class StreamScheduler {
 public:
  explicit StreamScheduler(const StreamTask& task)
      : task_(task), ready_(task.route_graph.store_count()) {}

  std::optional<Schedule> run(std::int64_t parts, Time limit) {
    if (task_.piece_routes.routes.empty()) return std::nullopt;
    if (parts == 0) parts = best_parts(limit);
    if (parts == 0) return std::nullopt;
    std::vector<Piece> pieces = task_.pieces(parts);
    const auto each = static_cast<std::size_t>(parts);
    // some pieces would be empty
    if (pieces.size() != task_.bytes.size() * each) return std::nullopt;
    std::vector<std::int64_t> max_bytes(task_.bytes.size());
    for (std::size_t i = 0; i < pieces.size(); ++i)
      max_bytes[i / each] = std::max(max_bytes[i / each], pieces[i].bytes);
    const std::int64_t slot = slot_for(max_bytes);
    if (slot == 0) return std::nullopt;
    Schedule schedule;
    schedule.groups.assign(task_.groups.begin(), task_.groups.end());
    schedule.pieces = std::move(pieces);
    for (const LinkUse& use : task_.route_graph.link_uses) schedule.wires.push_back(use.wire);
    add_sends(schedule, max_bytes, slot, parts);
    sort_sends(schedule.sends);
    return schedule;
  }

 private:
  /// Time in ps that the busiest link needs for one part of each of its streams. Reserves 1 byte/s
  /// per stream, since rates are rounded up. 0: a link lacks this capacity.
  [[nodiscard]] std::int64_t slot_for(std::span<const std::int64_t> max_bytes) const {
    std::vector<std::int64_t> bytes(task_.route_graph.capacity.size()), streams(bytes.size());
    for (std::size_t i = 0; i < max_bytes.size(); ++i) {
      for (const std::uint32_t route : task_.piece_routes.of(i)) {
        for (const LinkUse& use : task_.route_graph.uses_of(route)) {
          bytes[use.wire] += max_bytes[i];
          ++streams[use.wire];
        }
      }
    }
    std::int64_t slot = 1;
    for (std::size_t wire = 0; wire < bytes.size(); ++wire) {
      const std::int64_t usable_rate = task_.route_graph.capacity[wire] - streams[wire];
      if (bytes[wire] > 0 && usable_rate < 1) return 0;
      if (bytes[wire] > 0)
        slot = std::max(slot, transfer_duration(bytes[wire], usable_rate).count());
    }
    return slot;
  }

  /// Calls `each(index of the route in the stream, route, start)`; returns the last arrival.
  template <class Each>
  std::int64_t walk(std::size_t stream, std::int64_t slot, const Each& each) {
    const auto routes = task_.piece_routes.of(stream);
    for (const std::uint32_t route : routes)
      ready_[task_.route_graph.from[route]] = ready_[task_.route_graph.to[route]] = 0;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const std::int64_t start = ready_[task_.route_graph.from[routes[i]]];
      each(i, routes[i], start);
      const std::int64_t arrival =
          start + slot + task_.route_graph.routes[routes[i]].latency.count();
      std::int64_t& ready = ready_[task_.route_graph.to[routes[i]]];
      ready = std::max(ready, arrival);
      last = std::max(last, arrival);
    }
    return last;
  }

  /// The approximate duration with `parts` parts.
  [[nodiscard]] Time estimated_duration(std::int64_t parts, std::int64_t slot_of_one) {
    const std::int64_t slot = slot_of_one / parts + 1;
    std::int64_t last = 0;
    for (std::size_t i = 0; i < task_.bytes.size(); ++i)
      last = std::max(last, walk(i, slot, [](std::size_t, std::uint32_t, std::int64_t) {}));
    return Time((parts - 1) * slot + last);
  }

  /// The best number of parts; 0 if none stays below `limit`.
  [[nodiscard]] std::int64_t best_parts(Time limit) {
    const std::int64_t slot_of_one_part = slot_for(task_.bytes);
    const std::int64_t least = *std::min_element(task_.bytes.begin(), task_.bytes.end());
    if (slot_of_one_part == 0 || least == 0) return 0;
    std::vector<std::pair<std::int64_t, Time>> tried;
    Time best = kTimeMax;
    for (std::int64_t parts = 1; parts == 1 || least / parts >= kSmallPiece; parts *= 2) {
      if (task_.piece_routes.routes.size() * static_cast<std::size_t>(parts) > task_.max_sends)
        break;
      tried.emplace_back(parts, estimated_duration(parts, slot_of_one_part));
      best = std::min(best, tried.back().second);
    }
    if (best >= limit) return 0;
    for (const auto& [parts, time] : tried) {
      if (time < limit && time <= best + Time(best.count() / 100)) return parts;
    }
    return 0;
  }

  void add_sends(Schedule& schedule, std::span<const std::int64_t> max_bytes, std::int64_t slot,
                 std::int64_t parts) {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> numbers;
    schedule.sends.reserve(task_.piece_routes.routes.size() * static_cast<std::size_t>(parts));
    for (std::size_t stream = 0; stream < max_bytes.size(); ++stream) {
      // Rounded up, so that a part needs at most one slot.
      const auto rate = static_cast<std::int64_t>(
          (static_cast<__int128>(max_bytes[stream]) * kPsPerSecond + slot - 1) / slot);
      const std::size_t adding = task_.adds ? task_.piece_routes.of(stream).size() / 2 : 0;
      walk(stream, slot, [&](std::size_t place, std::uint32_t route, std::int64_t start) {
        const auto [found, is_new] =
            numbers.try_emplace({route, rate}, static_cast<std::uint32_t>(schedule.routes.size()));
        if (is_new) {
          schedule.routes.push_back(task_.route_graph.routes[route]);
          schedule.routes.back().rate = rate;
        }
        for (std::int64_t part = 0; part < parts; ++part)
          schedule.sends.push_back(
              {static_cast<std::uint32_t>(static_cast<std::int64_t>(stream) * parts + part),
               found->second, place < adding ? 1U : 0U, Time(start + part * slot)});
      });
    }
  }

  const StreamTask& task_;
  std::vector<std::int64_t> ready_;  // by store: arrival of a stream's first part
};

}  // namespace

std::optional<Schedule> schedule_streams(const StreamTask& task, std::int64_t parts, Time limit) {
  std::optional<Schedule> made = StreamScheduler(task).run(parts, limit);
  if (made && made->end() >= limit) return std::nullopt;
  return made;
}

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// Direct phases with a full window, n - 1: each rank sends to all others at once. In an all-reduce,
// the rank then waits until it has received all n - 1 messages (the barrier) and the next packet is
// free. Then it sends all free packets at once, and each other packet when it becomes free. The
// formulas do not hold if a packet of the second half, which is not reduced, becomes free before
// the last packet of the first half. In this case direct_ends() replays the phase.
#include "orrery/model/collective/algorithms/direct_ends.h"

#include <utility>
#include <vector>

namespace orrery::model {

namespace {

// Maximum number of messages that a replay may store: 32 MiB.
constexpr std::int64_t kMaxReplayed = std::int64_t{1} << 22;

/// Waiting times of packets, if the window is full and all packets of a half wait equally long.
/// `start`: packets inserted at the start; `first`, `second`: packets inserted by the arrivals of
/// the first and the second half.
struct Waits {
  std::int64_t start = 0;
  std::int64_t first = 0;
  std::int64_t second = 0;
};

std::optional<Waits> full_window(const PhaseSpec& spec) {
  const std::int64_t peers = std::int64_t{spec.request.ring.size} - 1;
  const bool halves = spec.barrier != 0;
  if (spec.window != peers || spec.steps != (halves ? 2 * peers : peers)) return std::nullopt;
  if (halves && spec.barrier != peers) return std::nullopt;
  std::int64_t waits[3] = {};
  std::int64_t reduced = 0;
  for (std::int64_t run = 0; run < (halves ? 3 : 2); ++run) {
    const std::int64_t by_now = reduced_before(spec, (run + 1) * peers);
    if (by_now != reduced && by_now != reduced + peers) return std::nullopt;
    waits[run] = packet_time(spec, static_cast<std::uint32_t>(run * peers));
    reduced = by_now;
  }
  return Waits{waits[0], waits[1], waits[2]};
}

/// The ends if all messages last equally long, hop_.
class OneHop {
 public:
  OneHop(const PhaseSpec& spec, const Waits& waits, std::span<const std::int64_t> begins)
      : waits_(waits),
        begins_(begins),
        hop_(std::min(spec.delay_by_key[1], MultiDimFabric::kTooLong)) {}

  [[nodiscard]] bool one_half(std::span<std::int64_t> ends) {
    find_extremes();
    for (std::uint32_t p = 0; p < begins_.size(); ++p)
      ends[p] = later(all_received(p), waits_.first);
    return true;
  }

  // Both halves of an all-reduce. The k-th message of the second half leaves at the restart, or
  // when the k-th packet of the first half becomes free, if that is later. So the last message that
  // p receives comes from the position that restarts last, or from the position whose last peer is
  // p. False: not in order.
  [[nodiscard]] bool both_halves(const PhaseSpec& spec, std::span<std::int64_t> ends) {
    find_extremes();
    sort_begins();
    const auto n = static_cast<std::uint32_t>(begins_.size());
    std::vector<std::int64_t> restarts(n);
    for (std::uint32_t p = 0; p < n; ++p) restarts[p] = restart(p);
    const Extremes latest = extremes(restarts);
    if (!in_order(restarts)) return false;
    for (std::uint32_t p = 0; p < n; ++p) {
      const std::uint32_t last = source(spec, p, n - 1);
      const std::int64_t own = later(all_received(p), waits_.first);
      const std::int64_t last_sent = later(arrival(others_latest(last)), waits_.first);
      const std::int64_t sent = std::max(latest.without(p), last_sent);
      ends[p] = later(std::max(own, later(sent, hop_)), waits_.second);
    }
    return true;
  }

 private:
  /// The greatest value with its index, and the greatest of all others.
  struct Extremes {
    std::uint32_t where = 0;
    std::int64_t greatest = -1;
    std::int64_t second = -1;
    [[nodiscard]] std::int64_t without(std::uint32_t p) const {
      return p == where ? second : greatest;
    }
  };

  static Extremes extremes(std::span<const std::int64_t> values) {
    Extremes found;
    for (std::uint32_t p = 0; p < values.size(); ++p) {
      if (values[p] > found.greatest) {
        found.second = found.greatest;
        found.greatest = values[p];
        found.where = p;
      } else {
        found.second = std::max(found.second, values[p]);
      }
    }
    return found;
  }

  void find_extremes() { latest_ = extremes(begins_); }

  void sort_begins() {
    order_.reserve(begins_.size());
    for (std::uint32_t p = 0; p < begins_.size(); ++p) order_.emplace_back(begins_[p], p);
    std::sort(order_.begin(), order_.end());
  }

  [[nodiscard]] std::int64_t others_latest(std::uint32_t p) const { return latest_.without(p); }
  /// The arrival of messages from a position that begins at `begin`.
  [[nodiscard]] std::int64_t arrival(std::int64_t begin) const {
    return later(later(begin, waits_.start), hop_);
  }
  /// The time at which p posts its receives. It receives nothing before.
  [[nodiscard]] std::int64_t posted(std::uint32_t p) const {
    return later(begins_[p], waits_.start);
  }
  [[nodiscard]] std::int64_t all_received(std::uint32_t p) const {
    return std::max(arrival(others_latest(p)), posted(p));
  }

  // Whether all packets of the first half become free before those of the second half.
  [[nodiscard]] bool in_order(std::span<const std::int64_t> restarts) const {
    const std::int64_t earliest = *std::min_element(restarts.begin(), restarts.end());
    for (std::uint32_t p = 0; p < restarts.size(); ++p) {
      const std::int64_t received = std::max(restarts[p], later(earliest, hop_));
      if (later(received, waits_.second) < later(all_received(p), waits_.first)) return false;
    }
    return true;
  }

  // The time at which p starts the second half: a packet is free and all messages are received.
  [[nodiscard]] std::int64_t restart(std::uint32_t p) const {
    const std::int64_t earliest = all_received(p) - waits_.first;  // of the packet's message
    if (posted(p) >= earliest) {
      const std::int64_t first = order_[order_[0].second == p ? 1 : 0].first;
      return later(std::max(arrival(first), posted(p)), waits_.first);
    }
    auto found = std::partition_point(order_.begin(), order_.end(), [&](const auto& entry) {
      return arrival(entry.first) < earliest;
    });
    if (found->second == p) ++found;
    return later(arrival(found->first), waits_.first);
  }

  Waits waits_;
  std::span<const std::int64_t> begins_;
  std::int64_t hop_;
  Extremes latest_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> order_;  // begins, sorted, with positions
};

// The ends of the first half if message times differ.
bool differing_half(const PhaseSpec& spec, const Waits& waits, std::span<const std::int64_t> begins,
                    std::span<std::int64_t> ends, const MessageTimes& times) {
  const auto n = static_cast<std::uint32_t>(begins.size());
  for (std::uint32_t p = 0; p < n; ++p) ends[p] = later(begins[p], waits.start);
  for (std::uint32_t p = 0; p < n; ++p) {
    const std::int64_t sent = later(begins[p], waits.start);
    for (std::uint32_t key = 1; key < n; ++key) {
      const std::uint32_t to = destination(spec, p, key);
      ends[to] = std::max(ends[to], later(sent, times(p, to, key)));
    }
  }
  for (std::int64_t& end : ends) end = later(end, waits.first);
  return true;
}

// The ends of both halves if message times differ. False: not in order.
bool differing_halves(const PhaseSpec& spec, const Waits& waits,
                      std::span<const std::int64_t> begins, std::span<std::int64_t> ends,
                      const MessageTimes& times) {
  const auto n = static_cast<std::uint32_t>(begins.size());
  std::vector<std::int64_t> freed(n - 1);
  std::vector<std::int64_t> restarts(n);
  std::vector<std::int64_t> last_freed(n);
  std::vector<std::int64_t> arrived(n,
                                    MultiDimFabric::kTooLong);  // first message of the second half
  std::fill(ends.begin(), ends.end(), 0);
  for (std::uint32_t p = 0; p < n; ++p) {
    const std::int64_t posted = later(begins[p], waits.start);
    std::int64_t all_received = 0;
    for (std::uint32_t key = 1; key < n; ++key) {
      const std::uint32_t from = source(spec, p, key);
      const std::int64_t sent = later(begins[from], waits.start);
      const std::int64_t received = std::max(posted, later(sent, times(from, p, key)));
      all_received = std::max(all_received, received);
      freed[key - 1] = later(received, waits.first);
    }
    std::sort(freed.begin(), freed.end());
    restarts[p] = *std::lower_bound(freed.begin(), freed.end(), all_received);
    last_freed[p] = freed.back();
    for (std::uint32_t key = 1; key < n; ++key) {
      const std::uint32_t to = destination(spec, p, key);
      const std::int64_t arrival = later(std::max(restarts[p], freed[key - 1]), times(p, to, key));
      ends[to] = std::max(ends[to], arrival);
      arrived[to] = std::min(arrived[to], arrival);
    }
  }
  for (std::uint32_t p = 0; p < n; ++p) {
    if (later(std::max(restarts[p], arrived[p]), waits.second) < last_freed[p]) return false;
    ends[p] = later(std::max(ends[p], last_freed[p]), waits.second);
  }
  return true;
}

}  // namespace

bool direct_has_closed_form(const PhaseSpec& spec) {
  if (std::int64_t{spec.request.ring.size} * spec.steps <= kMaxReplayed) return true;
  const std::optional<Waits> waits = full_window(spec);
  return waits && (spec.barrier == 0 || waits->first <= waits->second);
}

std::int64_t direct_uniform_duration(const PhaseSpec& spec) {
  const std::optional<Waits> waits = full_window(spec);
  if (spec.burst && waits) {
    const std::int64_t half = later(later(waits->start, spec.delay_by_key[1]), waits->first);
    return spec.barrier == 0 ? half : later(later(half, spec.delay_by_key[1]), waits->second);
  }
  const std::int64_t begin = 0;
  std::int64_t end = 0;
  const DelayBetween no_delay;
  replay_direct(spec, {&begin, 1}, {&end, 1}, MessageTimes(spec, no_delay));
  return end;
}

void direct_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                 std::span<std::int64_t> ends, const MessageTimes& times) {
  const std::optional<Waits> waits = full_window(spec);
  bool done = false;
  if (waits && spec.burst) {
    OneHop one_hop(spec, *waits, begins);
    done = spec.barrier == 0 ? one_hop.one_half(ends) : one_hop.both_halves(spec, ends);
  } else if (waits) {
    done = spec.barrier == 0 ? differing_half(spec, *waits, begins, ends, times)
                             : differing_halves(spec, *waits, begins, ends, times);
  }
  if (!done) replay_direct(spec, begins, ends, times);
}

}  // namespace orrery::model

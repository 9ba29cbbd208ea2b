// SPDX-License-Identifier: Apache-2.0
//
// The event queue of a simulation: a radix heap on integer time, first in first out within a tick.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "orrery/core/check.h"

namespace orrery::sim {

enum class EventKind : std::uint8_t {
  local,      ///< run the local events of ranks first … first+count-1
  phase_end,  ///< members first … first+count-1 end a phase in closed form
  deliver,  ///< messages of one collective step from members first … first+count-1 (or keys key …
            ///< key+keys-1)
  late_receive,  ///< a receive posted after its message arrived: member `first`, step `key`
  tree_deliver,  ///< double binary tree: message from member `first` to member `key`
  tree_late,     ///< a tree receive posted after its message arrived: slot `first` of member `key`
  switch_deliver,  ///< in-network: message `key` of the running phase `first` arrives
  switch_free,     ///< in-network: the running phase `first` releases its switches
  ready_to_send,   ///< rendezvous: the receiver's announcement reaches the sender
  ready_late,      ///< rendezvous: the announcement arrived before the sender asked for it
  p2p_deliver,     ///< point-to-point message `first` arrives
  p2p_sent,        ///< sender's part: the sender of a message to another part is done
  p2p_leaves,      ///< receiver's part: a message from another part leaves
  p2p_arrives,     ///< receiver's part: a message from another part arrives
  p2p_late,        ///< a point-to-point receive posted after its message arrived: receive `first`
  p2p_ready,       ///< rendezvous: receive `first` has announced itself to its sender
  p2p_matched,     ///< rendezvous: message `first` found its receiver's announcement
  memory_message,  ///< one message of access `first` to a memory in the network arrives
  network,  ///< a call that the network requested, in the order of events (model::Sink::call)
};

/// One queue entry: a run of equal events for consecutive members, or for consecutive keys of one
/// member.
struct Event {
  static constexpr std::uint16_t kNoJob = 0xffff;

  std::int64_t time = 0;
  EventKind kind = EventKind::local;
  std::uint16_t job = kNoJob;  ///< its job, if there are several (see Jobs)
  std::uint32_t first = 0;     ///< rank, member, message or link
  std::uint32_t count = 1;
  std::uint32_t key = 0;  ///< step of the algorithm (see PhaseSpec)
  std::uint32_t keys = 1;
  std::uint32_t block = 0;  ///< number of the chunk
  std::uint32_t spec = 0;   ///< the sender's phase
};

/// A monotone priority queue: a pushed event is never earlier than the last popped one.
///
/// Buckets hold events by the highest bit in which their time differs from the last popped time.
/// Equal times are always in the same bucket, in the order in which they were pushed. Moving a
/// bucket down preserves this order, so that events of one tick come out first in, first out. A
/// pushed event that continues the newest one of its time (the next member of the same step, or the
/// next key of the same member) is merged into it; the order is the same as without merging.
///
/// push O(1), pop amortised O(64). Source of the structure: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster
/// algorithms for the shortest path problem", J. ACM 37(2), 1990, section 2 (one-level radix
/// heaps).
class EventQueue {
 public:
  /// Returns false if the event was merged into another one.
  bool push(const Event& event) {
    ORRERY_CHECK(event.time >= now_);
    std::vector<Event>& bucket = buckets_[bucket_of(event.time)];
    const std::size_t done = &bucket == &buckets_[0] ? cursor_ : 0;
    // Merging skips only events of other times, so that no event overtakes another of its own time.
    const std::size_t stop = bucket.size() > done + kLookBack ? bucket.size() - kLookBack : done;
    for (std::size_t i = bucket.size(); i > stop; --i) {
      if (bucket[i - 1].time != event.time) continue;
      if (merge(bucket[i - 1], event)) return false;
      break;
    }
    bucket.push_back(event);
    return true;
  }

  /// The next event, or false when there is none before `end`. Advances now().
  bool pop(Event& out, std::int64_t end = kNever) {
    return pop(out, end, [](const Event&, std::size_t) {});
  }
  /// Also calls `approach(event, n)` for some events that move closer, before which at most `n`
  /// events come that are pending now; several times for one event, with decreasing `n`.
  template <class Approach>
  bool pop(Event& out, std::int64_t end, const Approach& approach) {
    if (cursor_ == buckets_[0].size() && !advance(end, approach)) return false;
    out = buckets_[0][cursor_++];
    return true;
  }

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] std::int64_t now() const { return now_; }

  /// Time of the next event; kNever: there is none. O(pending events) at most.
  [[nodiscard]] std::int64_t next_time() const {
    if (more_now()) return now_;
    for (std::size_t b = 1; b < buckets_.size(); ++b) {
      if (buckets_[b].empty()) continue;
      const auto sooner = [](const Event& a, const Event& other) { return a.time < other.time; };
      return std::min_element(buckets_[b].begin(), buckets_[b].end(), sooner)->time;
    }
    return kNever;
  }

  /// Sets now() to `time`. No event may be pending before.
  void advance_to(std::int64_t time) {
    ORRERY_CHECK(time >= now_);
    if (time == now_) return;
    ORRERY_CHECK(!more_now());
    buckets_[0].clear();
    cursor_ = 0;
    // Events whose highest differing bit is lower with the new time move to lower buckets.
    const auto highest =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(time ^ now_)));
    now_ = time;
    std::vector<Event> events;
    buckets_[highest].swap(events);
    for (const Event& event : events) buckets_[bucket_of(event.time)].push_back(event);
  }

  /// Whether there are more events at now().
  [[nodiscard]] bool more_now() const { return cursor_ < buckets_[0].size(); }

  /// Calls `see` with each pending event, in unspecified order.
  template <class See>
  void each(const See& see) const {
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      for (std::size_t i = b == 0 ? cursor_ : 0; i < buckets_[b].size(); ++i) see(buckets_[b][i]);
    }
  }

  /// Delays now() and all pending events by `delay`. No event may be left at now().
  void shift(std::int64_t delay) {
    ORRERY_CHECK(delay >= 0 && !more_now());
    std::vector<Event> events;
    each([&](const Event& event) { events.push_back(event); });
    for (std::vector<Event>& bucket : buckets_) bucket.clear();
    cursor_ = 0;
    now_ += delay;
    for (Event& event : events) {
      event.time += delay;
      buckets_[bucket_of(event.time)].push_back(event);
    }
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [now, cursor, buckets] = self;
    return std::tie(now, cursor, buckets);
  }

 private:
  static constexpr std::size_t kNear = 128;    // largest number of events before approaching ones
  static constexpr std::size_t kLookBack = 4;  // number of newest events checked for merging

  static bool merge(Event& last, const Event& next) {
    if (last.kind != next.kind || last.block != next.block || last.spec != next.spec) return false;
    if (last.job != next.job) return false;
    if (next.kind > EventKind::deliver) return false;
    if (last.key == next.key && last.keys == next.keys && last.first + last.count == next.first) {
      last.count += next.count;
      return true;
    }
    if (last.first == next.first && last.count == 1 && next.count == 1 &&
        last.key + last.keys == next.key) {
      last.keys += next.keys;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::size_t bucket_of(std::int64_t time) const {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(time ^ now_)));
  }

  template <class Approach>
  bool advance(std::int64_t end, const Approach& approach) {
    buckets_[0].clear();
    cursor_ = 0;
    std::size_t lowest = 1;
    while (lowest < buckets_.size() && buckets_[lowest].empty()) ++lowest;
    if (lowest == buckets_.size()) return false;
    std::vector<Event>& from = buckets_[lowest];
    std::int64_t soonest = from.front().time;
    bool one_time = true;
    for (const Event& event : from) {
      one_time = one_time && event.time == soonest;
      soonest = event.time < soonest ? event.time : soonest;
    }
    if (soonest >= end) return false;
    now_ = soonest;
    if (one_time) {
      buckets_[0].swap(from);
      return true;
    }
    if (from.size() <= kNear) {
      for (const Event& event : from) approach(event, from.size());
    }
    for (const Event& event : from) buckets_[bucket_of(event.time)].push_back(event);
    from.clear();
    return true;
  }

  std::int64_t now_ = 0;
  std::size_t cursor_ = 0;
  std::array<std::vector<Event>, 65> buckets_;
};

}  // namespace orrery::sim

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
#include <utility>
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
/// Times are numbers of octal digits. Buckets hold events by the highest digit in which their time
/// differs from the last popped time, and by that digit. Equal times are always in the same bucket,
/// in the order in which they were pushed. Moving a
/// bucket down preserves this order, so that events of one tick come out first in, first out. A
/// pushed event that continues the newest one of its time (the next member of the same step, or the
/// next key of the same member) is merged into it; the order is the same as without merging.
///
/// push O(1), pop amortised O(22): an event moves at most once per digit. Source of the structure:
/// Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", J. ACM 37(2),
/// 1990, section 3 (two-level radix heaps, whose buckets are divided).
class EventQueue {
 public:
  /// Returns false if the event was merged into another one.
  bool push(const Event& event) {
    ORRERY_CHECK(event.time >= now_);
    const std::size_t number = bucket_of(event.time);
    std::vector<Event>& bucket = buckets_[number];
    if (event.kind <= kLastMerged && merge_with_newest(bucket, number == 0 ? cursor_ : 0, event))
      return false;
    if (bucket.size() == bucket.capacity()) grow(bucket);
    bucket.push_back(event);
    note(number);
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
    const std::vector<Event>& due = buckets_[0];
    for (const std::size_t before : {kFew, kVeryFew}) {
      if (cursor_ + before < due.size()) approach(due[cursor_ + before], before);
    }
    out = due[cursor_++];
    return true;
  }

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] std::int64_t now() const { return now_; }

  /// Time of the next event; kNever: there is none. O(pending events) at most.
  [[nodiscard]] std::int64_t next_time() const {
    if (more_now()) return now_;
    const std::vector<Event>& soonest = buckets_[lowest()];
    if (soonest.empty()) return kNever;
    const auto sooner = [](const Event& a, const Event& other) { return a.time < other.time; };
    return std::min_element(soonest.begin(), soonest.end(), sooner)->time;
  }

  /// Sets now() to `time`. No event may be pending before.
  void advance_to(std::int64_t time) {
    ORRERY_CHECK(time >= now_);
    if (time == now_) return;
    ORRERY_CHECK(!more_now());
    buckets_[0].clear();
    cursor_ = 0;
    // Events whose highest differing digit is lower with the new time move to lower buckets.
    const std::vector<Event> events = take(bucket_of(time));
    now_ = time;
    for (const Event& event : events) add(event);
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
    used_ = {};
    cursor_ = 0;
    now_ += delay;
    for (Event& event : events) {
      event.time += delay;
      add(event);
    }
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [now, cursor, buckets, used] = self;
    return std::tie(now, cursor, buckets, used);
  }

 private:
  static constexpr std::size_t kNear = 128;  // largest number of events before approaching ones
  static constexpr std::size_t kFew = 24, kVeryFew = 6;  // the same within a tick
  static constexpr std::size_t kLookBack = 4;  // number of newest events checked for merging
  static constexpr EventKind kLastMerged = EventKind::deliver;  // later kinds are never merged

  // Merging skips only events of other times, so that no event overtakes another of its own time.
  // `done`: events of the bucket that have been popped.
  static bool merge_with_newest(std::vector<Event>& bucket, std::size_t done, const Event& event) {
    Event* newest = bucket.data() + bucket.size();
    const Event* const stop = newest - std::min(kLookBack, bucket.size() - done);
    while (newest != stop) {
      --newest;
      if (newest->time == event.time) return merge(*newest, event);
    }
    return false;
  }

  // Not part of push(), which would have to save more registers.
  [[gnu::noinline]] static void grow(std::vector<Event>& bucket) {
    bucket.reserve(std::max<std::size_t>(4, 2 * bucket.size()));
  }

  static bool merge(Event& last, const Event& next) {
    if (last.kind != next.kind || last.block != next.block || last.spec != next.spec) return false;
    if (last.job != next.job) return false;
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

  // 0: now. Later events are in higher buckets.
  [[nodiscard]] std::size_t bucket_of(std::int64_t time) const {
    const auto differs = static_cast<std::uint64_t>(time ^ now_);
    if (differs == 0) return 0;
    const auto digit = static_cast<unsigned>(std::bit_width(differs) - 1) / kDigitBits;
    const std::uint64_t value = static_cast<std::uint64_t>(time) >> (digit * kDigitBits);
    return 1 + (digit << kDigitBits | (value & ((1u << kDigitBits) - 1)));
  }
  void note(std::size_t bucket) { used_[bucket / 64] |= std::uint64_t{1} << bucket % 64; }
  void add(const Event& event) {
    const std::size_t bucket = bucket_of(event.time);
    buckets_[bucket].push_back(event);
    note(bucket);
  }
  // The lowest bucket after that of now with events; the last one if there is none.
  [[nodiscard]] std::size_t lowest() const {
    for (std::size_t word = 0; word < used_.size(); ++word) {
      const std::uint64_t used = word == 0 ? used_[word] & ~std::uint64_t{1} : used_[word];
      if (used != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(used));
    }
    return buckets_.size() - 1;
  }
  [[nodiscard]] std::vector<Event> take(std::size_t bucket) {
    used_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    return std::exchange(buckets_[bucket], {});
  }

  template <class Approach>
  bool advance(std::int64_t end, const Approach& approach) {
    buckets_[0].clear();
    cursor_ = 0;
    const std::size_t bucket = lowest();
    std::vector<Event>& from = buckets_[bucket];
    if (from.empty()) return false;
    std::int64_t soonest = from.front().time;
    bool one_time = true;
    for (const Event& event : from) {
      one_time = one_time && event.time == soonest;
      soonest = event.time < soonest ? event.time : soonest;
    }
    if (soonest >= end) return false;
    now_ = soonest;
    used_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    if (one_time) {
      buckets_[0].swap(from);
      return true;
    }
    if (from.size() <= kNear) {
      for (const Event& event : from) approach(event, from.size());
    }
    for (const Event& event : from) add(event);
    from.clear();
    return true;
  }

  static constexpr unsigned kDigitBits = 3;

  std::int64_t now_ = 0;
  std::size_t cursor_ = 0;
  std::array<std::vector<Event>, 1 + (22u << kDigitBits)> buckets_;
  std::array<std::uint64_t, 3>
      used_{};  // a bit per bucket: has events; unspecified for that of now
};

}  // namespace orrery::sim

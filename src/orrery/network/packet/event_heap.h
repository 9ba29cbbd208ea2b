// SPDX-License-Identifier: Apache-2.0
//
// A queue of events in order of time, first in first out within a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace orrery::model {

/// An event of the packet network: a packet reaches a port, or what the constants say.
struct PacketEvent {
  static constexpr std::uint32_t kFirstKind = 0xFFFFFFF0;
  static constexpr std::uint32_t kReceived = kFirstKind;  ///< a packet reaches its last node
  static constexpr std::uint32_t kPortIdle = kFirstKind + 1;
  static constexpr std::uint32_t kTimeout = kFirstKind + 2;  ///< of a connection
  static constexpr std::uint32_t kPace = kFirstKind + 3;     ///< a connection may send
  static constexpr std::uint32_t kNotify = kFirstKind + 4;  ///< a connection's sender of congestion
  static constexpr std::uint32_t kCredit = kFirstKind + 5;  ///< an end point grants credit
  static constexpr std::uint32_t kFlush = kFirstKind + 7;  ///< a receiver acknowledges what is left
  static constexpr std::uint32_t kChoose = kFirstKind + 6;  ///< a packet reaches a node that routes
  std::int64_t time = 0;                                    ///< picoseconds
  std::uint32_t number = 0;  ///< of the packet, the port, the connection or the end point
  std::uint32_t port = 0;    ///< that the packet reaches, or one of the constants
};

/// A radix heap: an event lies in the bucket of the highest bit in which its time differs from the
/// current time. Times never go below that of the last pop(). Events of one time are always in one
/// bucket, so that their order is that of push(). Amortized O(log range) per event, in sequential
/// memory. Source: Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path
/// problem", J. ACM 37, 1990, section 2.
class EventHeap {
 public:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  void push(const PacketEvent& event) {
    const int bucket = bucket_of(event.time);
    buckets_[static_cast<std::size_t>(bucket)].push_back(event);
    used_ |= std::uint64_t{1} << bucket;
    first_ = std::min(first_, event.time);
  }
  /// Calls `use` for all events; those of one time follow each other in their order.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      const std::vector<PacketEvent>& events = buckets_[bucket];
      for (std::size_t i = bucket == 0 ? position_ : 0; i < events.size(); ++i) use(events[i]);
    }
  }
  /// The time of the next event; kNone: there is none. O(1).
  [[nodiscard]] std::int64_t next() const { return first_; }
  /// Removes the next event. There is one. Calls `soon` for events that follow shortly.
  template <class Soon>
  PacketEvent pop(Soon soon) {
    if (position_ == buckets_[0].size()) redistribute(soon);
    const PacketEvent event = buckets_[0][position_++];
    if (position_ == buckets_[0].size()) find_first();
    return event;
  }

 private:
  static constexpr int kSoon = 12;  // 4 ns

  [[nodiscard]] int bucket_of(std::int64_t time) const {
    return 64 - std::countl_zero(static_cast<std::uint64_t>(time ^ now_));
  }
  /// Moves the events of the next time to the lowest bucket.
  template <class Soon>
  void redistribute(Soon soon) {
    const int lowest = std::countr_zero(used_);
    now_ = first_;
    if (lowest == 0) return;
    std::vector<PacketEvent>& from = buckets_[static_cast<std::size_t>(lowest)];
    for (const PacketEvent& event : from) {
      const int bucket = bucket_of(event.time);
      if (bucket <= kSoon) soon(event);
      buckets_[static_cast<std::size_t>(bucket)].push_back(event);
      used_ |= std::uint64_t{1} << bucket;
    }
    from.clear();
    used_ &= ~(std::uint64_t{1} << lowest);
  }
  void find_first() {
    buckets_[0].clear();
    position_ = 0;
    used_ &= ~std::uint64_t{1};
    first_ = kNone;
    if (used_ == 0) return;
    for (const PacketEvent& event : buckets_[static_cast<std::size_t>(std::countr_zero(used_))])
      first_ = std::min(first_, event.time);
  }

  std::array<std::vector<PacketEvent>, 65> buckets_;
  std::uint64_t used_ = 0;    // bit b: bucket b has events (bucket 64 is never used: times >= 0)
  std::size_t position_ = 0;  // in the lowest bucket
  std::int64_t now_ = 0;      // time of the events in the lowest bucket
  std::int64_t first_ = kNone;
};

}  // namespace orrery::model

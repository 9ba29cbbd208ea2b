// SPDX-License-Identifier: Apache-2.0
//
// The congestion-aware network: links that carry one message at a time, whole messages stored and
// forwarded.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/network/network.h"

namespace orrery::model {

/// Link states and routes; time is kept by whoever drives it.
///
/// Directed links. Ring: one each way per rank, the shorter way, a tie goes clockwise. Fully
/// connected: one per ordered pair. Switch: one up and one down per rank. Messages cross the
/// dimensions in ascending order. A link that takes a message delivers it after latency + size /
/// bandwidth and is idle again after size / bandwidth; others wait in order. A link into or out of
/// a port that deviates has the share of the bandwidth that the worse port at its ends leaves, and
/// their extra latency.
class DimensionLinks {
 public:
  /// End points besides ranks: none.
  [[nodiscard]] static std::uint32_t switches(const platform::Platform& /*platform*/) { return 0; }
  [[nodiscard]] static std::uint32_t memories(const platform::Platform& /*platform*/) { return 0; }
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(std::uint32_t /*rank*/) const {
    return {};
  }
  /// What a message does next: `link` starts carrying it now, it reaches the next device `arrival`
  /// later and the link is idle again `busy` later (picoseconds; MultiDimFabric::kTooLong = beyond
  /// the clock).
  struct Departure {
    std::uint32_t message;
    std::uint32_t link;
    std::int64_t arrival;
    std::int64_t busy;
    std::int64_t size = 0;
  };

  explicit DimensionLinks(const platform::Platform& platform);

  /// A new message at `from`; returns its number. Numbers of delivered messages are reused. from !=
  /// to.
  std::uint32_t add(std::uint32_t from, std::uint32_t to, std::int64_t size);

  /// Puts the message on its next link. True and `departure` filled: it departs now; false: it
  /// waits.
  bool forward(std::uint32_t message, Departure& departure);

  /// The message has reached the next device. True: that was its destination, and its number is
  /// free again.
  bool arrived(std::uint32_t message);

  /// The link is idle. True and `departure` filled: the message that waited longest departs now.
  bool idle(std::uint32_t link, Departure& departure);

  /// How long a message takes when every link on its way is idle; MultiDimFabric::kTooLong when it
  /// does not fit. O(hops).
  [[nodiscard]] std::int64_t alone(std::uint32_t from, std::uint32_t to, std::int64_t size) const;

  [[nodiscard]] LinkPlace describe(std::uint32_t link) const;

  [[nodiscard]] std::size_t link_count() const { return links_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Message {
    std::uint32_t at;
    std::uint32_t to;
    std::int64_t size;
    std::uint32_t dim = 0;
    std::uint32_t next = kNone;  // behind it in the same link's queue
    bool in_switch = false;
  };
  struct Link {
    bool busy = false;
    std::uint32_t first = kNone;  // waiting messages, oldest first
    std::uint32_t last = kNone;
  };
  [[nodiscard]] std::uint32_t next_link(Message& message) const;
  [[nodiscard]] std::uint32_t neighbour(const Message& message) const;
  void hop(Message& message) const;
  [[nodiscard]] MultiDimFabric::Port ports_of_link(const Message& message) const;
  [[nodiscard]] Departure depart(const Message& message) const;

  MultiDimFabric fabric_;
  bool astra_;
  std::vector<std::uint32_t> first_link_;  // of each dimension
  std::vector<Link> links_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
};

}  // namespace orrery::model

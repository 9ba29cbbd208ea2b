// SPDX-License-Identifier: Apache-2.0
//
// The links of a congestion-aware network of dimensions. A link carries one message at a time; each
// hop stores a complete message before it forwards it.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/network/network.h"

namespace orrery::model {

/// Link states and routes. The caller advances the time.
///
/// Links are directed. Ring: one link per rank and direction; a message takes the shorter
/// direction, clockwise if both are equal. Fully connected: one link per ordered pair of ranks.
/// Switch: one link up and one down per rank. Messages cross the dimensions in ascending order.
///
/// A link delivers a message after latency + size / bandwidth and is idle again after
/// size / bandwidth. Other messages wait in order of arrival. Ports that deviate reduce the
/// bandwidth of their links to the smaller share of the ports at both ends, and add their latency.
class DimensionLinks {
 public:
  /// Number of end points that are switches or memories: none.
  [[nodiscard]] static std::uint32_t switches(const platform::Platform& /*platform*/) { return 0; }
  [[nodiscard]] static std::uint32_t memories(const platform::Platform& /*platform*/) { return 0; }
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(std::uint32_t /*rank*/) const {
    return {};
  }
  /// `link` starts to carry `message` now. The message reaches the next device after `arrival`; the
  /// link is idle again after `busy`. Picoseconds from now; MultiDimFabric::kTooLong: the time
  /// exceeds the range of the clock.
  struct Departure {
    std::uint32_t message;
    std::uint32_t link;
    std::int64_t arrival;
    std::int64_t busy;
    std::int64_t size = 0;
  };

  /// The departure of `size` bytes on a link, in nanoseconds: Orrery rules, so times are rounded up
  /// to picoseconds. Does not set `message`.
  [[nodiscard]] static Departure departure(std::uint32_t link, double latency, double serial,
                                           std::int64_t size);

  explicit DimensionLinks(const platform::Platform& platform);

  /// Whether links can be compared: routes depend on the end points alone.
  [[nodiscard]] bool is_foldable() const { return true; }
  /// As Network::crossings() and Network::link_kind().
  void crossings(std::uint32_t from, std::uint32_t to, std::vector<Crossing>& out) const;
  [[nodiscard]] LinkKind link_kind(std::uint32_t link) const;
  /// From now on, messages wait at the link that represents theirs. `first`: by link.
  void fold(std::vector<std::uint32_t> first) { first_ = std::move(first); }

  /// Adds a message at `from` and returns its number. Numbers of delivered messages are reused.
  /// from != to.
  std::uint32_t add(std::uint32_t from, std::uint32_t to, std::int64_t size);

  /// The next link of a message.
  [[nodiscard]] std::uint32_t link_of(std::uint32_t message) {
    return next_link(messages_[message]);
  }
  /// Whether the message arrives at its destination at the end of its next link.
  [[nodiscard]] bool is_on_last_link(std::uint32_t message) const;

  /// Puts the message on its next link. True: it departs now and `departure` is set. False: it
  /// waits in the queue of the link.
  bool forward(std::uint32_t message, Departure& departure);

  /// The caller reports that the message has reached the next device. True: this is its
  /// destination, and its number is free again.
  bool arrived(std::uint32_t message);

  /// The caller reports that the link is idle. True: the message that waited longest departs now
  /// and `departure` is set.
  bool idle(std::uint32_t link, Departure& departure);

  /// Duration of a message if all links of its route are idle, in picoseconds.
  /// MultiDimFabric::kTooLong: it exceeds the range of the clock. O(hops).
  [[nodiscard]] std::int64_t uncontended_time(std::uint32_t from, std::uint32_t to,
                                              std::int64_t size) const;

  [[nodiscard]] LinkPlace describe(std::uint32_t link) const;

  [[nodiscard]] std::size_t link_count() const { return links_.size(); }

  /// For checkpoints.
  static auto fields(auto& self) {
    auto& [fabric, astra, first_link, first, links, messages, free] = self;
    return std::tie(links, messages, free);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Message {
    std::uint32_t at;
    std::uint32_t to;
    std::int64_t size;
    std::uint32_t dim = 0;
    std::uint32_t next = kNone;  // the next message in the queue of the same link
    bool in_switch = false;
  };
  struct Link {
    bool busy = false;
    std::uint32_t first = kNone;  // waiting messages, oldest first
    std::uint32_t last = kNone;
  };
  [[nodiscard]] std::uint32_t next_link(Message& message) const;
  [[nodiscard]] std::uint32_t queue_of(std::uint32_t link) const {
    return first_.empty() ? link : first_[link];
  }
  [[nodiscard]] std::uint32_t neighbor(const Message& message) const;
  void hop(Message& message) const;
  [[nodiscard]] MultiDimFabric::Port ports_of_link(const Message& message) const;
  [[nodiscard]] Departure depart(const Message& message) const;

  MultiDimFabric fabric_;
  bool astra_;
  std::vector<std::uint32_t> first_link_;  // of each dimension
  std::vector<std::uint32_t> first_;       // by link: see fold(); empty: each is its own
  std::vector<Link> links_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
};

}  // namespace orrery::model

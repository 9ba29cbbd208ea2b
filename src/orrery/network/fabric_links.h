// SPDX-License-Identifier: Apache-2.0
//
// Links that carry one message at a time, over any fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/dimension_links.h"
#include "orrery/network/fabric_routes.h"

namespace orrery::model {

/// Like DimensionLinks, but messages use the routes of the platform's fabric. If the routing policy
/// sprays, a message uses only one of the routes, chosen by the hash. If routes depend on the load
/// of a link, the load is the number of messages on the link or waiting for it.
class FabricLinks {
 public:
  /// Number of switches that are end points: FabricRoutes::reducers().
  [[nodiscard]] static std::uint32_t switches(const platform::Platform& platform) {
    return reducer_count(platform);
  }
  [[nodiscard]] static std::uint32_t memories(const platform::Platform& platform) {
    return platform::memory_count(platform);
  }
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(std::uint32_t rank) const {
    return routes_->nearest_memories(rank);
  }
  using Departure = DimensionLinks::Departure;

  explicit FabricLinks(const platform::Platform& platform);

  // As in DimensionLinks.
  [[nodiscard]] bool is_foldable() const;
  void crossings(std::uint32_t from, std::uint32_t to, std::vector<Crossing>& out) const;
  [[nodiscard]] LinkKind link_kind(std::uint32_t link) const;
  void fold(std::vector<std::uint32_t> first) { first_ = std::move(first); }
  [[nodiscard]] std::uint32_t link_of(std::uint32_t message) const {
    return route_links(messages_[message])[messages_[message].step].link;
  }
  [[nodiscard]] bool is_on_last_link(std::uint32_t message) const {
    return messages_[message].step + std::size_t{1} == route_links(messages_[message]).size();
  }

  std::uint32_t add(std::uint32_t from, std::uint32_t to, std::int64_t size);
  bool forward(std::uint32_t message, Departure& departure);
  bool arrived(std::uint32_t message);
  bool idle(std::uint32_t link, Departure& departure);
  [[nodiscard]] std::int64_t uncontended_time(std::uint32_t from, std::uint32_t to,
                                              std::int64_t size) const;
  [[nodiscard]] LinkPlace describe(std::uint32_t link) const { return routes_->describe(link); }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }

  /// For checkpoints.
  void save(StateWriter& to) const;
  void load(StateReader& from);

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Message {
    const Route* route = nullptr;
    std::vector<platform::RouteLink>
        adaptive_links;  // links of its route, if routes depend on loads
    std::int64_t size = 0;
    std::uint32_t step = 0;
    std::uint32_t next = kNone;  // the next message in the queue of the same link

    static auto fields(auto& self) {
      auto& [route, adaptive_links, size, step, next] = self;
      return std::tie(adaptive_links, size, step, next);
    }
  };
  struct Link {
    bool busy = false;
    std::uint32_t waiting = 0;
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  class Loads;
  [[nodiscard]] static const std::vector<platform::RouteLink>& route_links(const Message& message) {
    return message.adaptive_links.empty() ? message.route->steps : message.adaptive_links;
  }
  [[nodiscard]] Departure depart(std::uint32_t message) const;
  [[nodiscard]] std::uint32_t queue_of(std::uint32_t link) const {
    return first_.empty() ? link : first_[link];
  }
  [[nodiscard]] Departure over(platform::LinkIndex link, std::int64_t size) const;

  std::shared_ptr<FabricRoutes> routes_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> first_;  // by link: see fold(); empty: each is its own
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
};

}  // namespace orrery::model

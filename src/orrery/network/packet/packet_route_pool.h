// SPDX-License-Identifier: Apache-2.0
//
// Routes of packets, stored as link numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery::model {

/// Finds routes for packets. Copies of a network share one object. `state`: of the faults, as
/// FabricRoutes numbers them.
class PacketRouter {
 public:
  virtual ~PacketRouter() = default;
  /// The node of an end point, as PacketLink numbers nodes.
  [[nodiscard]] virtual std::uint32_t node_of(std::uint32_t end_point) const = 0;
  /// Whether the entropy value of a packet has an effect on its route.
  [[nodiscard]] virtual bool sprays() const = 0;
  /// Appends the links from one end point to another, at least one; none: there is no route. The
  /// same arguments give the same links.
  virtual void append_route(std::uint32_t state, std::uint32_t from, std::uint32_t to,
                            std::uint32_t entropy, std::vector<std::uint32_t>& links) = 0;
  /// Appends the links from a node that are on shortest routes to an end point; none: the node is
  /// the end point, or there is no route.
  virtual void append_next(std::uint32_t state, std::uint32_t node, std::uint32_t to,
                           std::vector<std::uint32_t>& links) = 0;
};

/// A route, as a place in the pool, and its first links.
struct PacketRoute {
  static constexpr std::uint32_t kLinks = 6;
  std::uint32_t first = 0;
  std::uint32_t hops = 0;  ///< 0: there is none
  std::uint32_t links[kLinks] = {};
};
static_assert(sizeof(PacketRoute) == 32);

/// Stores a route for each pair of end points and each entropy value that a packet has needed.
class PacketRoutePool {
 public:
  PacketRoutePool(std::shared_ptr<PacketRouter> router, std::uint32_t entropies)
      : router_(std::move(router)), entropies_(router_->sprays() ? entropies : 1) {}

  [[nodiscard]] std::uint32_t node_of(std::uint32_t end_point) const {
    return router_->node_of(end_point);
  }
  /// The index of the routes of a new pair, for find().
  [[nodiscard]] std::uint32_t add_pair() {
    size_ += entropies_;
    tables_[state_].known.resize(size_);
    return static_cast<std::uint32_t>(size_) - entropies_;
  }
  /// Number of entropy values: 1 unless packets are sprayed.
  [[nodiscard]] std::uint32_t entropies() const { return entropies_; }
  /// The route of an entropy value of a pair. Without hops: there is none. Valid until add_pair().
  [[nodiscard]] const PacketRoute& find(std::uint32_t pair, std::uint32_t entropy,
                                        std::uint32_t from, std::uint32_t to) {
    PacketRoute& known = tables_[state_].known[pair + entropy];
    if (known.hops == 0) search(known, entropy, from, to);
    return known;
  }
  /// A route without faults that begin or end.
  [[nodiscard]] PacketRoute initial(std::uint32_t from, std::uint32_t to) {
    PacketRoute made;
    const std::uint32_t state = std::exchange(state_, 0);
    search(made, 0, from, to);
    state_ = state;
    return made;
  }
  [[nodiscard]] const std::uint32_t* links() const { return links_.data(); }

  struct Choice {
    std::uint32_t first = 0, count = 0;  ///< in links()
  };
  /// The links from a node that lead to an end point. O(1) after the first call.
  [[nodiscard]] Choice next(std::uint32_t node, std::uint32_t to) {
    const auto [entry, added] =
        tables_[state_].choices.try_emplace((std::uint64_t{node} << 32) | to);
    if (added) {
      entry->second.first = static_cast<std::uint32_t>(links_.size());
      router_->append_next(state_, node, to, links_);
      entry->second.count = static_cast<std::uint32_t>(links_.size()) - entry->second.first;
    }
    return entry->second;
  }

  /// From now on, routes are those of another state of faults. Those in use stay valid.
  void set_state(std::uint32_t state) {
    state_ = state;
    if (tables_.size() <= state) tables_.resize(state + 1);
    tables_[state].known.resize(size_);
  }

 private:
  void search(PacketRoute& known, std::uint32_t entropy, std::uint32_t from, std::uint32_t to) {
    known.first = static_cast<std::uint32_t>(links_.size());
    router_->append_route(state_, from, to, entropy, links_);
    known.hops = static_cast<std::uint32_t>(links_.size()) - known.first;
    for (std::uint32_t i = 0; i < std::min(known.hops, PacketRoute::kLinks); ++i)
      known.links[i] = links_[known.first + i];
  }

  std::shared_ptr<PacketRouter> router_;
  std::uint32_t entropies_;
  std::uint32_t state_ = 0;
  struct Table {
    std::vector<PacketRoute> known;                     // by pair and entropy value
    std::unordered_map<std::uint64_t, Choice> choices;  // by node and end point
  };
  std::vector<Table> tables_ = std::vector<Table>(1);  // by state of faults
  std::size_t size_ = 0;                               // of `known`
  std::vector<std::uint32_t> links_;                   // of all routes, one after another
};

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// Routes of packets, stored as link numbers in one array.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace orrery::model {

/// Finds routes for packets. Copies of a network share one object.
class PacketRouter {
 public:
  virtual ~PacketRouter() = default;
  /// Whether the entropy value of a packet has an effect on its route.
  [[nodiscard]] virtual bool sprays() const = 0;
  /// Appends the links from one end point to another, at least one. The same arguments give the
  /// same links.
  virtual void append_route(std::uint32_t from, std::uint32_t to, std::uint32_t entropy,
                            std::vector<std::uint32_t>& links) = 0;
};

/// A route, as a place in the pool.
struct PacketRoute {
  std::uint32_t first = 0;
  std::uint32_t hops = 0;  ///< 0: not found yet

  friend bool operator==(const PacketRoute&, const PacketRoute&) = default;
};

/// Stores a route for each pair of end points and each entropy value that a packet has needed.
class PacketRoutePool {
 public:
  PacketRoutePool(std::shared_ptr<PacketRouter> router, std::uint32_t entropies)
      : router_(std::move(router)), entropies_(router_->sprays() ? entropies : 1) {}

  /// The index of the routes of a new pair, for find().
  [[nodiscard]] std::uint32_t add_pair() {
    known_.resize(known_.size() + entropies_);
    return static_cast<std::uint32_t>(known_.size()) - entropies_;
  }
  /// Number of entropy values: 1 unless packets are sprayed.
  [[nodiscard]] std::uint32_t entropies() const { return entropies_; }
  /// The route of an entropy value of a pair.
  [[nodiscard]] PacketRoute find(std::uint32_t pair, std::uint32_t entropy, std::uint32_t from,
                                 std::uint32_t to) {
    PacketRoute& known = known_[pair + entropy];
    if (known.hops > 0) return known;
    known.first = static_cast<std::uint32_t>(links_.size());
    router_->append_route(from, to, entropy, links_);
    known.hops = static_cast<std::uint32_t>(links_.size()) - known.first;
    return known;
  }
  [[nodiscard]] const std::uint32_t* links() const { return links_.data(); }

 private:
  std::shared_ptr<PacketRouter> router_;
  std::uint32_t entropies_;
  std::vector<PacketRoute> known_;    // by pair and entropy value
  std::vector<std::uint32_t> links_;  // of all routes, one after another
};

}  // namespace orrery::model

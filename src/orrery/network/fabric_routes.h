// SPDX-License-Identifier: Apache-2.0
//
// Routes of messages between ranks over a fabric, cached per pair.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/network/memories/nearest_memories.h"
#include "orrery/network/network.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::model {

/// The links from one rank to another.
struct Route {
  std::vector<platform::RouteLink> steps;
  double latency_ns = 0;     ///< until the first byte arrives; the mean, if sprayed over links
  double bytes_per_ns = 0;   ///< maximum rate of one message without contention
  std::uint32_t number = 0;  ///< index among the cached routes
};

/// Number of switches of the platform that perform collectives; equals that of
/// FabricRoutes::reducers().
[[nodiscard]] std::uint32_t reducer_count(const platform::Platform& platform);

/// The fabric of a platform, or the graph of its dimensions if it has no fabric: link rates and the
/// route of every pair of ranks for each set of active faults. Several networks may share one
/// object. Several threads may call find() and uncontended_time() concurrently.
class FabricRoutes {
 public:
  /// Under the policies `known` and `ecmp`, messages are divided over the network adapters of their
  /// sender (find_over_adapters). `single_path`: messages are not split; if the routing policy
  /// sprays, each uses one route (ECMP).
  explicit FabricRoutes(const platform::Platform& platform, bool single_path = false);

  [[nodiscard]] const platform::Topology& topology() const { return *topology_; }
  [[nodiscard]] std::uint32_t rank_count() const { return ranks_; }
  /// Number of memories. Their end points start at rank_count().
  [[nodiscard]] std::uint32_t memory_count() const { return memories_; }
  /// See Network::nearest_memories().
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const {
    return nearest_memories_ ? nearest_memories_->of(nodes_[rank])
                             : std::span<const std::uint32_t>();
  }
  /// The end points from this number on are the switches that perform collectives.
  [[nodiscard]] EndPoint first_reducer() const { return ranks_ + memories_; }
  [[nodiscard]] const std::vector<platform::Reducer>& reducers() const { return reducers_; }
  /// The reducer that a rank is attached to in a dimension. Empty: there is none, or the network is
  /// a fabric.
  [[nodiscard]] std::optional<EndPoint> reducer_of(std::size_t dim, EndPoint rank) const;
  [[nodiscard]] EndPoint end_point_count() const { return static_cast<EndPoint>(nodes_.size()); }
  [[nodiscard]] platform::NodeIndex node(EndPoint at) const { return nodes_[at]; }
  [[nodiscard]] const std::vector<platform::LinkFault>& faults() const { return faults_; }
  /// Maximum number of unacknowledged bytes of a message; 0: no limit.
  [[nodiscard]] std::int64_t window() const { return window_; }
  /// Whether routes depend on the loads of links.
  [[nodiscard]] bool needs_loads() const;

  /// The number of the state in which the faults in `active_faults` (by number) are active.
  [[nodiscard]] std::uint32_t state(const std::vector<bool>& active_faults);
  /// The state in which only the permanent faults are active.
  [[nodiscard]] std::uint32_t initial_state() const { return 0; }

  /// The route between two end points. Null: there is none. The pointer is valid as long as this
  /// object; if routes depend on loads, until the next call.
  [[nodiscard]] const Route* find(std::uint32_t state, EndPoint from, EndPoint to,
                                  const platform::LinkLoads* loads = nullptr);

  /// Whether the policy spreads a message over all shortest routes (also if `single_path` forbids
  /// it for messages).
  [[nodiscard]] bool sprays() const { return sprays_; }
  [[nodiscard]] std::uint64_t seed() const { return routing_.seed; }
  /// The links from a node that are on shortest routes to an end point, ascending. Empty: there is
  /// no route.
  void next_links(std::uint32_t state, platform::NodeIndex at, EndPoint to,
                  std::vector<platform::LinkIndex>& out);
  /// The payload's share of the bandwidth that bytes_per_ns() contains.
  [[nodiscard]] double efficiency() const { return fabric_ != nullptr ? fabric_->efficiency : 1; }

  /// The maximum rate of a message on a route, by its links and by the window, in bytes per
  /// nanosecond.
  [[nodiscard]] double max_rate(const Route& route) const;
  /// Time of a message without contention, in picoseconds: latency + bytes / max_rate(). 0 if
  /// `from` is `to`. MultiDimFabric::kTooLong: it exceeds the range of the clock, or there is no
  /// route.
  [[nodiscard]] std::int64_t uncontended_time(EndPoint from, EndPoint to, std::int64_t bytes);
  [[nodiscard]] static std::int64_t message_time(double latency_ns, double bytes_per_ns,
                                                 std::int64_t bytes);

  /// Relation of two end points: pairs with equal numbers have equal message times without
  /// contention. 0: `from` is `to`. 1: there is no route.
  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to);

  /// Payload that all cables of a link together carry, in bytes per nanosecond.
  [[nodiscard]] double bytes_per_ns(std::uint32_t state, platform::LinkIndex link) const;
  [[nodiscard]] double latency_ns(platform::LinkIndex link) const { return latency_ns_[link]; }
  [[nodiscard]] LinkPlace describe(platform::LinkIndex link) const;

  /// For checkpoints: the fault states and the routes found so far, as requests. Loading finds them
  /// again, so that every number is the same.
  void save(StateWriter& to) const;
  void load(StateReader& from);
  /// For checkpoints: kNoRoute or the number of a route, and the route of a number. If routes
  /// depend on loads, all routes have one number, and their owners store the links.
  static constexpr std::uint32_t kNoRoute = ~0u;
  [[nodiscard]] std::uint32_t number_of(const Route* route) const;
  [[nodiscard]] const Route* route_numbered(std::uint32_t number, StateReader& from) const;

 private:
  struct State {
    std::vector<bool> active_faults;
    std::vector<double> usable_share;  // by link: usable share of its bandwidth; empty: 1 for all
    std::unique_ptr<platform::Router> router;
    std::unordered_map<std::uint64_t, const Route*> cached_routes;
  };
  void set_dims(const platform::Platform& platform);
  [[nodiscard]] std::uint32_t dim_of(const platform::Link& link) const;
  void set_latency_and_rate(std::uint32_t state, Route& route) const;

  std::shared_ptr<const platform::Fabric> fabric_;  // owns the topology; null: dimensions
  std::shared_ptr<const platform::Topology> topology_;
  std::vector<platform::NodeIndex> nodes_;  // of ranks, then of memories, then of reducers
  std::uint32_t ranks_ = 0, memories_ = 0;
  std::optional<NearestMemories> nearest_memories_;  // empty: there are no memories
  std::vector<platform::Reducer> reducers_;
  std::vector<EndPoint> first_reducer_;  // by dimension, if there is no fabric
  std::vector<std::uint32_t> rank_of_;   // by node
  platform::Routing routing_;
  bool sprays_ = false;
  bool splits_adapters_ = false;  // messages are divided over the adapters of a device
  std::vector<platform::LinkFault> faults_;
  std::int64_t window_ = 0;
  std::vector<double> bytes_per_ns_, latency_ns_;  // by link
  std::vector<platform::Dimension> dims_;          // if there is no fabric
  std::deque<State> states_;
  std::deque<Route> routes_;
  Route adaptive_route_;
  std::map<std::pair<double, double>, std::uint32_t> pair_classes_;  // by latency and rate
  std::mutex mutex_;
};

}  // namespace orrery::model

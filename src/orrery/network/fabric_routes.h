// SPDX-License-Identifier: Apache-2.0
//
// Ways of messages between ranks over a fabric, found once each.
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

#include "orrery/network/nearest_memories.h"
#include "orrery/network/network.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::model {

/// The links from one rank to another.
struct Route {
  std::vector<platform::RouteLink> steps;
  double latency_ns = 0;     ///< until the first byte is there; of a sprayed way the mean
  double bytes_per_ns = 0;   ///< what a message has that is alone on it
  std::uint32_t number = 0;  ///< among those that are kept
};

/// Switches of the platform that can do collectives' work: as many as FabricRoutes::reducers().
[[nodiscard]] std::uint32_t reducer_count(const platform::Platform& platform);

/// Knows the fabric of a platform (its dimensions, where it has none), how fast its links are, and
/// the way of every pair of ranks while certain faults hold. One may be used by several networks;
/// find() and alone() by several threads at a time.
class FabricRoutes {
 public:
  /// `whole`: messages are not cut, and take one way where others are sprayed over all.
  explicit FabricRoutes(const platform::Platform& platform, bool whole = false);

  [[nodiscard]] const platform::Topology& topology() const { return *topology_; }
  [[nodiscard]] std::uint32_t rank_count() const { return ranks_; }
  /// Memories: end points from rank_count() on.
  [[nodiscard]] std::uint32_t memory_count() const { return memories_; }
  /// See Network::nearest_memories().
  [[nodiscard]] std::span<const std::uint32_t> nearest_memories(EndPoint rank) const {
    return near_ ? near_->of(nodes_[rank]) : std::span<const std::uint32_t>();
  }
  /// Switches that can do collectives' work: end points from here on.
  [[nodiscard]] EndPoint first_reducer() const { return ranks_ + memories_; }
  [[nodiscard]] const std::vector<platform::Reducer>& reducers() const { return reducers_; }
  /// The one that a rank hangs on in a dimension; empty: none, or the network is a fabric.
  [[nodiscard]] std::optional<EndPoint> reducer_of(std::size_t dim, EndPoint rank) const;
  [[nodiscard]] platform::NodeIndex node(EndPoint at) const { return nodes_[at]; }
  [[nodiscard]] const std::vector<platform::LinkFault>& faults() const { return faults_; }
  /// Bytes that may be unanswered on a message's way; 0: no limit.
  [[nodiscard]] std::int64_t window() const { return window_; }
  /// Ways depend on how busy links are.
  [[nodiscard]] bool needs_loads() const;

  /// The number of the state in which those faults hold, by number.
  [[nodiscard]] std::uint32_t state(const std::vector<bool>& holds);
  /// That in which those hold that always do.
  [[nodiscard]] std::uint32_t initial_state() const { return 0; }

  /// Null: there is no way. Good as long as this is; where ways look, until the next call.
  [[nodiscard]] const Route* find(std::uint32_t state, EndPoint from, EndPoint to,
                                  const platform::LinkLoads* loads = nullptr);

  /// The most that a message on a way gets, by its links and by the window, in bytes per
  /// nanosecond.
  [[nodiscard]] double max_rate(const Route& way) const;
  /// Time of a message with nobody in its way, in picoseconds: latency + bytes / max_rate(), as
  /// Fabric::delay has it. 0 to oneself; Fabric::kTooLong: it does not fit, or there is no way.
  [[nodiscard]] std::int64_t alone(EndPoint from, EndPoint to, std::int64_t bytes);
  [[nodiscard]] static std::int64_t charge(double latency_ns, double bytes_per_ns,
                                           std::int64_t bytes);

  /// What one rank sees of another: equal numbers, equal times of messages that are alone. 0:
  /// itself; 1: there is no way.
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to);

  /// Payload that all cables of a link carry in a nanosecond, in bytes.
  [[nodiscard]] double bytes_per_ns(std::uint32_t state, platform::LinkIndex link) const;
  [[nodiscard]] double latency_ns(platform::LinkIndex link) const { return latency_ns_[link]; }
  [[nodiscard]] LinkPlace place(platform::LinkIndex link) const;

 private:
  struct State {
    std::vector<bool> holds;
    std::vector<double> left;  // by link, as a share; empty: all of all
    std::unique_ptr<platform::Router> router;
    std::unordered_map<std::uint64_t, const Route*> known;
  };
  void set_dims(const platform::Platform& platform);
  [[nodiscard]] std::uint32_t dim_of(const platform::Link& link) const;
  void finish(std::uint32_t state, Route& way) const;

  std::shared_ptr<const platform::Fabric> fabric_;  // keeps the topology
  std::shared_ptr<const platform::Topology> topology_;
  std::vector<platform::NodeIndex> nodes_;  // of ranks, then of memories, then of reducers
  std::uint32_t ranks_ = 0, memories_ = 0;
  std::optional<NearestMemories> near_;  // there are memories
  std::vector<platform::Reducer> reducers_;
  std::vector<EndPoint> first_reducer_;  // by dimension, where there is no fabric
  std::vector<std::uint32_t> rank_of_;   // by node
  platform::Routing routing_;
  std::vector<platform::LinkFault> faults_;
  std::int64_t window_ = 0;
  std::vector<double> bytes_per_ns_, latency_ns_;  // by link
  std::vector<platform::Dimension> dims_;          // where there is no fabric
  std::deque<State> states_;
  std::deque<Route> routes_;
  Route adaptive_route_;
  std::map<std::pair<double, double>, std::uint32_t> colours_;  // by latency and rate
  std::mutex mutex_;
};

}  // namespace orrery::model

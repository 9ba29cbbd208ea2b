// SPDX-License-Identifier: Apache-2.0
//
// Concurrent flows on the same route get the same rate: the solver handles them as one bundle.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/network/max_min/max_min.h"

namespace orrery::model {

/// Max-min fair rates (max_min.h) of flows that the caller numbers. Flows on the same route are a
/// bundle: one flow of the solver, with their number as weight. So a step that sends several chunks
/// between the same two ranks costs as much as one flow. The same calls give bitwise equal results,
/// also on a copy.
class FlowBundles {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  explicit FlowBundles(std::vector<double> capacities) : solver_(std::move(capacities)) {}

  /// Adds the flow to a route that already carries flows. False: no flow uses the route, and
  /// nothing has changed.
  [[nodiscard]] bool join(std::uint32_t flow, std::uint32_t route);
  /// Adds the first flow on a route: its links, and the maximum rate of each flow on it. kNone: a
  /// route of this flow alone.
  void add(std::uint32_t flow, std::uint32_t route, std::span<const MaxMin::Hop> hops, double cap);
  void remove(std::uint32_t flow);

  /// Updates the rates. Returns new flows and flows with another rate than before, some of them
  /// possibly twice. Valid until the next call of a member function.
  std::span<const std::uint32_t> solve();
  /// As of the last solve, in bytes per nanosecond.
  [[nodiscard]] double rate(std::uint32_t flow) const { return solver_.rate(flows_[flow].bundle); }

  void set_capacity(std::uint32_t link, double capacity) { solver_.set_capacity(link, capacity); }
  [[nodiscard]] const MaxMin& solver() const { return solver_; }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [solver, flows, bundles, bundle_of_route, resized, new_flows, changed_flows] = self;
    return std::tie(solver, flows, bundles, bundle_of_route, resized, new_flows);
  }

 private:
  struct Flow {
    std::uint32_t bundle = kNone;
    std::uint32_t next = kNone, previous = kNone;
  };
  struct Bundle {
    std::uint32_t route = kNone;
    std::uint32_t first = kNone;
    std::uint32_t count = 0;
    std::uint32_t weight = 0;  // the flow's weight in the solver, updated by solve()
    bool resized = false;      // whether it is in resized_
  };
  void add_to_bundle(std::uint32_t flow, std::uint32_t bundle);
  void mark_resized(std::uint32_t bundle);
  void update_weights();

  MaxMin solver_;
  std::vector<Flow> flows_;
  std::vector<Bundle> bundles_;                 // by the number of their flow in solver_
  std::vector<std::uint32_t> bundle_of_route_;  // by route; kNone: no bundle
  std::vector<std::uint32_t> resized_;          // bundles with a new count since the last solve
  std::vector<std::uint32_t> new_flows_;        // flows that joined since the last solve
  std::vector<std::uint32_t> changed_flows_;
};

}  // namespace orrery::model

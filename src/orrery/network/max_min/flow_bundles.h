// SPDX-License-Identifier: Apache-2.0
//
// Flows that take the same way at the same time get the same: the solver sees them as one.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "orrery/network/max_min/max_min.h"

namespace orrery::model {

/// Max-min fair rates (max_min.h) of flows with numbers of the caller's. Those on one way are a
/// bundle, which is one flow there with their number as weight: what a step of several chunks
/// between the same two costs is one flow's. The same calls give the same bits; a copy goes on as
/// the original.
class FlowBundles {
 public:
  static constexpr std::uint32_t kNone = ~0u;

  explicit FlowBundles(std::vector<double> capacities) : solver_(std::move(capacities)) {}

  /// The flow is one more on a way that others are on. False: nobody is, and nothing was done.
  [[nodiscard]] bool join(std::uint32_t flow, std::uint32_t way);
  /// The first flow on a way: its links, and the most that each flow there gets. kNone: a way that
  /// is its own.
  void add(std::uint32_t flow, std::uint32_t way, std::span<const MaxMin::Hop> hops, double cap);
  void remove(std::uint32_t flow);

  /// Brings rates up to date. New flows and all whose rate is another than before, some perhaps
  /// twice; good until the next call of anything here.
  std::span<const std::uint32_t> solve();
  /// As of the last solve, in bytes per nanosecond.
  [[nodiscard]] double rate(std::uint32_t flow) const { return solver_.rate(flows_[flow].bundle); }

  void set_capacity(std::uint32_t link, double capacity) { solver_.set_capacity(link, capacity); }
  [[nodiscard]] const MaxMin& solver() const { return solver_; }

 private:
  struct Flow {
    std::uint32_t bundle = kNone;
    std::uint32_t next = kNone, previous = kNone;
  };
  struct Bundle {
    std::uint32_t way = kNone;
    std::uint32_t first = kNone;
    std::uint32_t count = 0;
    std::uint32_t weight = 0;  // what the solver takes for the count
    bool resized = false;      // among resized_
  };
  void enter(std::uint32_t flow, std::uint32_t bundle);
  void resize(std::uint32_t bundle);
  void tell_solver();

  MaxMin solver_;
  std::vector<Flow> flows_;
  std::vector<Bundle> bundles_;           // by the solver's number
  std::vector<std::uint32_t> of_way_;     // bundle, by way
  std::vector<std::uint32_t> resized_;    // their weight is to change
  std::vector<std::uint32_t> newcomers_;  // joined since the last solve
  std::vector<std::uint32_t> changed_flows_;
};

}  // namespace orrery::model

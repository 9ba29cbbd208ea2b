// SPDX-License-Identifier: Apache-2.0
//
// Fabrics for tests of bounds and schedules.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/random.h"
#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

inline platform::LinkFigures cable(double gigabytes, std::int64_t latency_ns) {
  return {Bandwidth(gigabytes * 1e9), ns(latency_ns), 1, platform::LinkClass::network};
}

/// All devices have ranks; `left` as in make_fabric_state().
inline FabricState fabric_state_for(Result<Topology> made, const std::vector<double>& left = {},
                                    std::vector<std::int64_t> sizes = {}) {
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  auto topology = std::make_shared<const Topology>(std::move(*made));
  std::vector<NodeIndex> rank_devices(topology->devices().begin(), topology->devices().end());
  Result<FabricState> fabric =
      make_fabric_state(std::move(topology), std::move(rank_devices), left, "test");
  EXPECT_TRUE(fabric) << (fabric ? "" : to_string(fabric.error()));
  fabric->sizes = std::move(sizes);
  return std::move(*fabric);
}

inline Result<Topology> grid(const std::vector<std::int64_t>& sizes, bool closed,
                             const platform::LinkFigures& figures) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  platform::NetworkPlan plan;
  plan.shape = closed ? platform::NetworkShape::torus : platform::NetworkShape::mesh;
  plan.sizes = sizes;
  plan.port = figures;
  return platform::generate("grid", {{count, 1, platform::HostInterconnect::none, 1, {}, 0, {}}},
                            plan, "grid");
}

/// 50 GiB/s and 500 ns, as in the evaluation of TACOS (shared/data/papers/tacos.json).
inline FabricState torus(const std::vector<std::int64_t>& sizes) {
  return fabric_state_for(grid(sizes, true, cable(50 * 1.073741824, 500)), {}, sizes);
}
inline FabricState mesh(const std::vector<std::int64_t>& sizes) {
  return fabric_state_for(grid(sizes, false, cable(50 * 1.073741824, 500)), {}, sizes);
}

/// `hosts` hosts with 8 devices behind one NVSwitch. Device i of each host is on rail i, with one
/// leaf switch per rail.
inline FabricState rails(std::int64_t hosts, double inside = 450, double outside = 50) {
  platform::NetworkPlan plan;
  plan.shape = platform::NetworkShape::rail_only;
  plan.per_leaf = hosts;
  plan.radix = 2 * hosts;
  plan.port = cable(outside, 700);
  plan.trunk = plan.port;
  return fabric_state_for(platform::generate(
      "rails",
      {{hosts, 8, platform::HostInterconnect::switched, 1, cable(inside, 200), 8, cable(64, 250)}},
      plan, "rails"));
}

/// A generator of random numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t end) { return mix_bits(++state_ * 0x9e37u) % end; }

 private:
  std::uint64_t state_;
};

struct RandomFabric {
  std::uint32_t devices = 6, switches = 2;
  std::uint32_t more_links = 6;  ///< in addition to a spanning tree
  std::uint32_t down = 0;        ///< number of these that are broken
  bool equivalent = false;       ///< all links are identical
};

/// A connected random fabric with bidirectional links of 10 to 80 GB/s and 100 to 1,600 ns.
inline FabricState random_fabric(std::uint64_t seed, const RandomFabric& shape) {
  Dice dice(seed);
  platform::TopologyBuilder builder("random", "test");
  const std::uint32_t nodes = shape.devices + shape.switches;
  for (std::uint32_t i = 0; i < nodes; ++i)
    builder.add(i < shape.devices ? platform::NodeClass::device : platform::NodeClass::switched,
                (i < shape.devices ? "npu" : "switch") + std::to_string(i));
  std::vector<std::pair<NodeIndex, NodeIndex>> spare;
  const auto figures = [&] {
    return shape.equivalent ? cable(50, 500)
                            : cable(10.0 * static_cast<double>(1 + dice.below(8)),
                                    static_cast<std::int64_t>(100 << dice.below(5)));
  };
  for (NodeIndex i = 1; i < nodes; ++i)
    builder.join(i, static_cast<NodeIndex>(dice.below(i)), figures());
  for (std::uint32_t i = 0; i < shape.more_links; ++i) {
    const auto a = static_cast<NodeIndex>(dice.below(nodes));
    const auto b = static_cast<NodeIndex>(dice.below(nodes));
    if (a == b) continue;
    builder.join(a, b, figures());
    if (spare.size() < shape.down) spare.emplace_back(a, b);
  }
  Result<Topology> made = builder.finish("random");
  std::vector<double> left(made ? made->link_count() : 0, 1.0);
  for (const auto& [a, b] : spare) {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
      const auto [first, end] = made->between(x, y);
      if (end - first > 1) left[first] = dice.below(2) == 0 ? 0 : 0.5;
    }
  }
  return fabric_state_for(std::move(made), left);
}

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/max_min/flow_bundles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace orrery::model {
namespace {

using Hops = std::vector<MaxMin::Hop>;
using ::testing::UnorderedElementsAre;

void begin(FlowBundles& bundles, std::uint32_t flow, std::uint32_t way, const Hops& hops,
           double cap) {
  if (way == FlowBundles::kNone || !bundles.join(flow, way)) bundles.add(flow, way, hops, cap);
}

TEST(FlowBundles, ThoseOnOneWayAreOneFlow) {
  FlowBundles bundles({12});
  const Hops hops = {{0, 1}};
  begin(bundles, 5, 7, hops, 100);
  EXPECT_THAT(bundles.solve(), UnorderedElementsAre(5));
  EXPECT_EQ(bundles.rate(5), 12);
  EXPECT_TRUE(bundles.join(2, 7));
  EXPECT_TRUE(bundles.join(3, 7));
  bundles.solve();
  for (const std::uint32_t flow : {2U, 3U, 5U}) EXPECT_EQ(bundles.rate(flow), 4);
  bundles.remove(5);
  EXPECT_THAT(bundles.solve(), UnorderedElementsAre(2, 3));
  EXPECT_EQ(bundles.rate(2), 6);
  // All leave and one comes, in one go: the bundle stays.
  bundles.remove(2);
  bundles.remove(3);
  EXPECT_TRUE(bundles.join(9, 7));
  bundles.solve();
  EXPECT_EQ(bundles.rate(9), 12);
  bundles.remove(9);
  bundles.solve();
  EXPECT_FALSE(bundles.join(1, 7));
}

// A flow that joins is reported, even if the rate of its bundle does not change.
TEST(FlowBundles, NewcomersAreTold) {
  FlowBundles bundles({100});
  begin(bundles, 0, 0, {{0, 1}}, 2);
  bundles.solve();
  EXPECT_TRUE(bundles.join(1, 0));
  const auto predicted = bundles.solve();
  EXPECT_THAT(std::set(predicted.begin(), predicted.end()), UnorderedElementsAre(1));
  EXPECT_EQ(bundles.rate(1), 2);
}

/// The same flows, each for itself.
struct Apart {
  MaxMin solver;
  std::map<std::uint32_t, std::uint32_t> number;  // in the solver
};

// Random flows on few routes, in bundles and one by one: the same rates, and flows whose rate
// changes are reported.
TEST(FlowBundles, GiveWhatEachGetsForItself) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint32_t limit) {
      return static_cast<std::uint32_t>(random() % limit);
    };
    const std::vector<double> capacities{10, 7, 30, 12.5, 1};
    std::vector<Hops> ways(4);
    std::vector<double> caps;
    for (Hops& hops : ways) {
      for (std::uint32_t link = 0; link < capacities.size(); ++link)
        if (draw(2) == 0) hops.push_back({link, 0.25 * (1 + draw(4))});
      if (hops.empty()) hops.push_back({0, 1});
      caps.push_back(draw(3) == 0 ? 0.5 + draw(9) : MaxMin::kUnlimited);
    }
    FlowBundles bundles(capacities);
    Apart apart{MaxMin(capacities), {}};
    std::map<std::uint32_t, double> rates;
    for (int solve = 0; solve < 60; ++solve) {
      for (std::uint32_t change = 1 + draw(6); change > 0; --change) {
        const std::uint32_t flow = draw(20);
        const auto known = apart.number.find(flow);
        if (known != apart.number.end()) {
          bundles.remove(flow);
          apart.solver.remove(known->second);
          apart.number.erase(known);
          rates.erase(flow);
        } else {
          const std::uint32_t way = draw(4);
          begin(bundles, flow, draw(5) == 0 ? FlowBundles::kNone : way, ways[way], caps[way]);
          apart.number[flow] = apart.solver.add(ways[way], caps[way]);
        }
      }
      const auto changed = bundles.solve();
      const std::set<std::uint32_t> predicted(changed.begin(), changed.end());
      apart.solver.solve();
      for (const auto& [flow, number] : apart.number) {
        const double rate = bundles.rate(flow);
        ASSERT_NEAR(rate, apart.solver.rate(number), 1e-12 * rate);
        ASSERT_TRUE(predicted.contains(flow) || (rates.contains(flow) && rates.at(flow) == rate));
        rates[flow] = rate;
      }
      for (const std::uint32_t flow : predicted) ASSERT_TRUE(apart.number.contains(flow));
    }
  }
}

}  // namespace
}  // namespace orrery::model

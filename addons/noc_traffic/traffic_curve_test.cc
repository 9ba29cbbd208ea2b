// SPDX-License-Identifier: Apache-2.0
#include "addons/noc_traffic/traffic_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace orrery::noc {
namespace {

CurveQuestion small(TrafficTopology topology, std::vector<std::uint32_t> extents) {
  CurveQuestion asked;
  asked.topology = topology;
  asked.extents = std::move(extents);
  asked.loads = {0.02};
  asked.seeds = 2;
  asked.traffic.period = 500;
  return asked;
}

// At a load of 2 %, latency is that of the closed form, with little contention. Costs 0.5 s.
TEST(TrafficCurve, ZeroLoadLatencyOfEveryTopology) {
  std::vector<CurveQuestion> asked = {small(TrafficTopology::mesh, {4, 4}),
                                      small(TrafficTopology::torus, {4, 6}),
                                      small(TrafficTopology::ring, {9}),
                                      small(TrafficTopology::crossbar, {16}),
                                      small(TrafficTopology::fully_connected, {8}),
                                      small(TrafficTopology::mesh, {2, 2})};
  asked.back().concentration = 4;
  for (CurveQuestion& one : asked) {
    for (const platform::NocRouting routing :
         {platform::NocRouting::automatic, platform::NocRouting::up_down}) {
      one.router.routing = routing;
      const auto curve = run_curve(one);
      ASSERT_TRUE(curve.has_value()) << curve.error().what;
      EXPECT_EQ(curve->points[0].stable, 2);
      EXPECT_NEAR(curve->points[0].latency / curve->zero_load_latency, 1, 0.03) << curve->network;
    }
  }
}

// 8 x 8 routers, 6.25 routers and 5.25 links on the mean way, 3 cycles from and to the nodes.
TEST(TrafficCurve, ClosedFormOfAMesh) {
  const auto curve = run_curve(small(TrafficTopology::mesh, {8, 8}));
  ASSERT_TRUE(curve.has_value());
  EXPECT_DOUBLE_EQ(curve->zero_load_latency, 6.25 * 3 + 5.25 + 3);
  EXPECT_DOUBLE_EQ(*curve->bisection_load, 0.5);
}

/// The mean of the ways of all pairs; of random ones in large networks.
double walked_latency(const FlitEngine& engine) {
  TrafficSettings traffic;
  traffic.pattern = TrafficPattern::hot_spot;
  traffic.hot_share = 0;
  return zero_load_latency(engine, {}, traffic);
}

// By dimensions, and pair by pair.
TEST(TrafficCurve, ClosedFormsOfCubesAreMeansOverAllPairs) {
  for (const CubeShape& shape : {CubeShape{{4, 7}}, CubeShape{{5, 4, 3}, true, 2, 2},
                                 CubeShape{{9}, true}, CubeShape{{1}, false, 8}}) {
    for (const platform::NocRouting routing :
         {platform::NocRouting::xy, platform::NocRouting::o1turn, platform::NocRouting::adaptive,
          platform::NocRouting::valiant}) {
      platform::NocSettings settings;
      settings.routing = routing;
      const auto engine = FlitEngine::make(*make_cube(shape), settings);
      const double closed = zero_load_latency(*engine, {}, {});
      // Valiant's middle is random.
      const double tolerance = routing == platform::NocRouting::valiant ? 0.05 * closed : 1e-9;
      EXPECT_NEAR(walked_latency(*engine), closed, tolerance) << static_cast<int>(routing);
    }
  }
}

// 4 cycles per link, 3 for the last router and 3 from and to the nodes; random pairs to four
// standard errors. Costs 0.1 s.
TEST(TrafficCurve, ClosedFormOfALargeMesh) {
  const auto engine = FlitEngine::make(*make_cube({{32, 32}}), {});
  const double expected = 4 * 2 * (32 * 32 - 1) / (3 * 32.0) + 3 + 3;
  EXPECT_DOUBLE_EQ(zero_load_latency(*engine, {}, {}), expected);
  EXPECT_NEAR(expected, 91.25, 0.01);
  EXPECT_NEAR(walked_latency(*engine), expected,
              4 * 4 * std::sqrt(2.0) * 32 / std::sqrt(18.0) / 256);
}

// A ring of 512 routers takes 518 cycles without contention, so that no fixed limit fits all
// networks. Costs 1 s.
TEST(TrafficCurve, TheLimitOfLatencyGrowsWithTheNetwork) {
  CurveQuestion asked = small(TrafficTopology::ring, {512});
  asked.loads = {0.002};
  asked.seeds = 1;
  asked.traffic.period = 1000;
  auto curve = run_curve(asked);
  ASSERT_TRUE(curve.has_value());
  EXPECT_GT(curve->zero_load_latency, 500);
  EXPECT_EQ(curve->points[0].stable, 1);
  asked.latency_limit = 400;
  EXPECT_EQ(run_curve(asked)->points[0].stable, 0);
}

// One node of 64 receives half of all packets: 1 / 32 flits per node and cycle, which is found to
// 0.5 %. Costs 1 s.
TEST(TrafficCurve, SaturationIsRelativeToTheLoad) {
  CurveQuestion asked = small(TrafficTopology::crossbar, {64});
  asked.loads = {};
  asked.seeds = 1;
  asked.traffic.pattern = TrafficPattern::hot_spot;
  asked.traffic.hot_share = 0.5;
  asked.finds_saturation = true;
  const auto curve = run_curve(asked);
  ASSERT_TRUE(curve.has_value());
  const double bound = 1 / (64 * 0.5 + 0.5);
  EXPECT_LE(*curve->saturation, bound * 1.05);  // the runs of a seed send a little less
  EXPECT_GT(*curve->saturation, bound * 0.7);
}

TEST(TrafficCurve, BisectionBounds) {
  EXPECT_DOUBLE_EQ(*bisection_load(*make_cube({{8, 8}, true})), 1);
  EXPECT_DOUBLE_EQ(*bisection_load(*make_cube({{8}})), 0.5);
  EXPECT_DOUBLE_EQ(*bisection_load(*make_cube({{16}})), 0.25);
  EXPECT_DOUBLE_EQ(*bisection_load(*make_cube({{4, 4}, false, 4})), 0.25);
  EXPECT_DOUBLE_EQ(*bisection_load(*make_cube({{1}, false, 8})), 1);
  EXPECT_FALSE(bisection_load(*make_fully_connected(4)).has_value());
}

// No accepted load is above the bound, and the saturation is near it. Costs 2 s.
TEST(TrafficCurve, SaturationIsBelowTheBisection) {
  CurveQuestion asked = small(TrafficTopology::mesh, {4, 4});
  asked.seeds = 1;
  asked.loads = {0.99};
  asked.router.channels = 8;
  asked.finds_saturation = true;
  for (const bool wraps : {false, true}) {
    asked.topology = wraps ? TrafficTopology::torus : TrafficTopology::mesh;
    const auto curve = run_curve(asked);
    ASSERT_TRUE(curve.has_value());
    EXPECT_LE(curve->points[0].accepted, *curve->bisection_load);
    EXPECT_LE(*curve->saturation, *curve->bisection_load);
    EXPECT_GT(*curve->saturation, 0.5 * *curve->bisection_load);
  }
}

TEST(TrafficCurve, TraceRunsAsListed) {
  CurveQuestion asked = small(TrafficTopology::mesh, {4});
  const auto trace = parse_trace("# cycle, from, to, flits\n0, 0, 3, 1\n100,0,3,5\n", "t.csv");
  ASSERT_TRUE(trace.has_value());
  asked.traffic.trace = *trace;
  asked.traffic.pattern = TrafficPattern::trace;
  asked.seeds = 1;
  const auto curve = run_curve(asked);
  ASSERT_TRUE(curve.has_value()) << curve.error().what;
  EXPECT_EQ(curve->points[0].packets, 2u);
  EXPECT_FALSE(curve->points[0].load.has_value());
  EXPECT_DOUBLE_EQ(curve->points[0].latency, curve->zero_load_latency);
  EXPECT_DOUBLE_EQ(curve->zero_load_latency, 4 * 3 + 3 + 3 + 2);
  EXPECT_EQ(parse_trace("0,0,3\n", "t.csv").error().where, "t.csv:1");
  asked.router.switching = platform::NocSwitching::cut_through;
  EXPECT_TRUE(run_curve(asked).has_value());
  asked.router.buffer = 4;
  EXPECT_EQ(run_curve(asked).error().what, "has no room for 5 flits");
  asked.traffic.trace.clear();
  EXPECT_EQ(run_curve(asked).error().where, "trace");
}

TEST(TrafficCurve, NamesWhatIsWrong) {
  const auto error_of = [](auto change) {
    CurveQuestion asked = small(TrafficTopology::mesh, {4, 3});
    change(asked);
    const auto made = run_curve(asked);
    return made ? std::string("none") : made.error().where;
  };
  EXPECT_EQ(error_of([](CurveQuestion& q) { q.traffic.pattern = TrafficPattern::transpose; }),
            "pattern");
  EXPECT_EQ(error_of([](CurveQuestion& q) { q.loads = {0}; }), "load");
  EXPECT_EQ(error_of([](CurveQuestion& q) { q.loads = {std::nan("")}; }), "load");
  EXPECT_EQ(error_of([](CurveQuestion& q) { q.loads = {1.5}; }), "load");
  EXPECT_EQ(error_of([](CurveQuestion& q) { q.traffic.hot_node = 12; }), "hot node");
  EXPECT_EQ(error_of([](CurveQuestion& q) {
              q.router.switching = platform::NocSwitching::cut_through;
              q.traffic.packet = 9;
            }),
            "buffer");
  EXPECT_EQ(error_of([](CurveQuestion& q) {
              q.topology = TrafficTopology::crossbar;
              q.extents = {4};
              q.link_cycles = 2;
            }),
            "--link-cycles");
  EXPECT_FALSE(parse_extents("8x").has_value());
  EXPECT_FALSE(parse_extents("0x4").has_value());
  EXPECT_FALSE(parse_extents("99999999999").has_value());
}

}  // namespace
}  // namespace orrery::noc

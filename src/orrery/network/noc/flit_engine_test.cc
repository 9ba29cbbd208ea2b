// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/flit_engine.h"

#include <gtest/gtest.h>

#include "orrery/network/noc/noc_testing.h"

namespace orrery::noc {
namespace {

using platform::NocRouting;
using platform::NocSettings;
using platform::NocSwitching;

/// The time of one packet on an empty network, in cycles of 1 ns.
std::int64_t alone(const NocGraph& graph, const NocSettings& settings, std::uint32_t from,
                   std::uint32_t to, std::uint32_t flits) {
  FlitEngine engine = engine_of(graph, settings);
  engine.post(a_packet(from, to, flits));
  engine.run(FlitEngine::kNever - 1);
  EXPECT_EQ(engine.deliveries().size(), 1u);
  EXPECT_EQ(engine.next(), FlitEngine::kNever);
  return engine.deliveries()[0].time / 1000;
}

TEST(FlitEngine, OnePacketLastsStagesLinksAndItsFlits) {
  FlitEngine engine = engine_of(*make_cube({{8, 8}}), {});
  engine.post(a_packet(0, 63, 1));
  engine.run(FlitEngine::kNever - 1);
  // 15 routers of 3 stages, 14 links of 1 cycle, 3 cycles from and to the nodes.
  EXPECT_EQ(engine.deliveries()[0].time, (15 * 3 + 14 + 3) * 1000);
  EXPECT_EQ(engine.deliveries()[0].packet.hops, 15);
}

// On every topology: routers × stages + links + flits - 1 + 3 cycles from and to the nodes.
TEST(FlitEngine, ClosedFormOfEveryTopologyAndPipeline) {
  struct Case {
    NocGraph graph;
    NocRouting routing;
    std::uint32_t from, to, routers;
    std::int64_t link;
  };
  const CubeShape long_torus{{5, 4}, true, 1, 2};
  NocGraph tree;  // of 7 routers, all but the root with a node
  tree.ports.assign(7, 0);
  tree.domain.assign(7, 0);
  tree.periods = {1000};
  for (std::uint32_t child = 1; child < 7; ++child) {
    add_link(tree, child, (child - 1) / 2);
    add_link(tree, (child - 1) / 2, child);
    add_node(tree, child);
  }
  const Case cases[] = {
      {*make_cube({{4, 4}}), NocRouting::xy, 0, 15, 7, 1},
      {*make_cube({{4, 4}}), NocRouting::yx, 3, 12, 7, 1},
      {*make_cube({{4, 4}}), NocRouting::o1turn, 0, 15, 7, 1},
      {*make_cube({{4, 4}}), NocRouting::adaptive, 0, 10, 5, 1},
      {*make_cube(long_torus), NocRouting::xy, 0, 4, 2, 2},
      {*make_cube(long_torus), NocRouting::adaptive, 0, 12, 5, 2},
      {*make_cube({{9}, true}), NocRouting::xy, 1, 5, 5, 1},
      {*make_cube({{2, 2, 2}}), NocRouting::xy, 0, 7, 4, 1},
      {*make_cube({{1}, false, 8}), NocRouting::xy, 0, 7, 1, 1},
      {*make_cube({{2, 2}, false, 4}), NocRouting::xy, 0, 15, 3, 1},
      {*make_fully_connected(7, 3), NocRouting::shortest, 0, 6, 2, 3},
      {*make_cube({{4, 4}}), NocRouting::up_down, 0, 15, 7, 1},
      {tree, NocRouting::shortest, 2, 5, 5, 1},
      {tree, NocRouting::up_down, 0, 1, 3, 1},
  };
  for (const Case& one : cases) {
    for (std::int64_t stages = 1; stages <= 4; ++stages) {
      for (const std::uint32_t flits : {1u, 5u, 20u}) {
        NocSettings settings;
        settings.stages = stages;
        settings.buffer = 16;  // no flit waits for a credit
        settings.routing = one.routing;
        EXPECT_EQ(alone(one.graph, settings, one.from, one.to, flits),
                  one.routers * stages + (one.routers - 1) * one.link + flits - 1 + 3)
            << stages << " stages, routing " << static_cast<int>(one.routing);
      }
    }
  }
}

// A narrow link (2 cycles per flit) between two dies, 5 ns long: only it differs.
TEST(FlitEngine, NarrowAndLongLinkBetweenDies) {
  NocGraph graph;
  graph.ports = {0, 0};
  graph.domain = {0, 0};
  graph.periods = {1000};
  add_link(graph, 0, 1, 1, 5000, 2000);
  add_link(graph, 1, 0);
  add_node(graph, 0);
  add_node(graph, 1);
  NocSettings settings;
  settings.routing = NocRouting::shortest;
  settings.buffer = 32;
  // The last flit arrives in router 1 when the head has left: unlike the head, it needs no channel.
  EXPECT_EQ(alone(graph, settings, 0, 1, 10), 2 * 3 + 1 + 5 + 9 * 2 + 3 - 1);
  EXPECT_EQ(alone(graph, settings, 1, 0, 10), 2 * 3 + 1 + 9 + 3);
}

// 1.5 cycles per flit, exactly.
TEST(FlitEngine, LinksKeepTheirRate) {
  NocGraph graph;
  graph.ports = {0, 0};
  graph.domain = {0, 0};
  graph.periods = {1000};
  add_link(graph, 0, 1, 1, 0, 1500);
  add_link(graph, 1, 0);
  add_node(graph, 0);
  add_node(graph, 1);
  NocSettings settings;
  settings.routing = NocRouting::shortest;
  EXPECT_NEAR(
      static_cast<double>(alone(graph, settings, 0, 1, 2001) - alone(graph, settings, 0, 1, 1)),
      3000, 1);
}

// Router 1 acts every 1.5 ns: a flit that arrives in between waits for its next cycle.
TEST(FlitEngine, ClocksOfTheirOwn) {
  NocGraph graph;
  graph.ports = {0, 0};
  graph.domain = {0, 1};
  graph.periods = {1000, 1500};
  add_link(graph, 0, 1);
  add_link(graph, 1, 0);
  add_node(graph, 0);
  add_node(graph, 1);
  NocSettings settings;
  settings.routing = NocRouting::shortest;
  FlitEngine engine = engine_of(graph, settings);
  engine.post(a_packet(0, 1, 1));
  engine.run(FlitEngine::kNever - 1);
  // Sent at 0, in router 0 at 2 ns; after 3 stages and the link at 6 ns in router 1, which acts at
  // 6 ns; it leaves after 4 cycles.
  EXPECT_EQ(engine.deliveries()[0].time, 6000 + 4 * 1500);
  engine.clear_deliveries();
  engine.post(a_packet(1, 0, 1, 20'500));
  engine.run(FlitEngine::kNever - 1);
  // Sent at 21 ns, in router 1 at 24 ns, after 4 cycles of 1.5 ns at 30 ns in router 0.
  EXPECT_EQ(engine.deliveries()[0].time, 30'000 + 4 * 1000);
}

TEST(FlitEngine, CreditsLimitTheRate) {
  NocSettings settings;
  settings.channels = 1;
  settings.buffer = 2;
  const NocGraph graph = *make_cube({{2}});
  // A body flit is assigned the switch when it arrives, 3 cycles after the router before assigned
  // it; its credit can be used 3 cycles later: 6 cycles per 2 flits.
  EXPECT_EQ(alone(graph, settings, 0, 1, 21) - alone(graph, settings, 0, 1, 1), 20 / 2 * 6);
  // So a buffer of 6 flits gives the full rate, and one of 5 does not.
  settings.buffer = 6;
  EXPECT_EQ(alone(graph, settings, 0, 1, 21) - alone(graph, settings, 0, 1, 1), 20);
  settings.buffer = 5;
  EXPECT_GT(alone(graph, settings, 0, 1, 21) - alone(graph, settings, 0, 1, 1), 20);
}

TEST(FlitEngine, CutThroughNeedsRoomForThePacket) {
  NocSettings settings;
  settings.switching = NocSwitching::cut_through;
  settings.buffer = 4;
  settings.channels = 1;
  const NocGraph graph = *make_cube({{3}});
  EXPECT_EQ(alone(graph, settings, 0, 2, 4), 3 * 3 + 2 + 3 + 3);
  // The second packet is in router 1 only when there is room for all its flits.
  FlitEngine engine = engine_of(graph, settings);
  for (int i = 0; i < 3; ++i) engine.post(a_packet(0, 2, 3));
  engine.run(FlitEngine::kNever - 1);
  EXPECT_EQ(engine.deliveries().size(), 3u);
  settings.switching = NocSwitching::wormhole;
  FlitEngine wormhole = engine_of(graph, settings);
  for (int i = 0; i < 3; ++i) wormhole.post(a_packet(0, 2, 3));
  wormhole.run(FlitEngine::kNever - 1);
  EXPECT_LT(wormhole.deliveries()[2].time, engine.deliveries()[2].time);
}

// A later packet of one source does not delay an earlier one of another, whichever is posted first.
TEST(FlitEngine, OrderOfPostingHasNoEffect) {
  FlitEngine engine = engine_of(*make_cube({{4}}), {});
  engine.post(a_packet(0, 1, 1, 900'000));
  engine.post(a_packet(2, 3, 1, 5'000));
  engine.run(FlitEngine::kNever - 1);
  ASSERT_EQ(engine.deliveries().size(), 2u);
  EXPECT_EQ(engine.deliveries()[0].time, 5'000 + (2 * 3 + 1 + 3) * 1000);
  EXPECT_EQ(engine.deliveries()[1].time, 900'000 + (2 * 3 + 1 + 3) * 1000);
}

// The same if the clock that waits for its packet receives one from another clock.
TEST(FlitEngine, AWaitingClockReceivesFlitsInTime) {
  NocGraph graph;
  graph.ports = {0, 0};
  graph.domain = {0, 1};
  graph.periods = {1000, 1000};
  add_link(graph, 0, 1);
  add_link(graph, 1, 0);
  add_node(graph, 0);
  add_node(graph, 1);
  NocSettings settings;
  settings.routing = NocRouting::shortest;
  FlitEngine engine = engine_of(graph, settings);
  engine.post(a_packet(1, 0, 1, 900'000));
  engine.post(a_packet(0, 1, 1));
  engine.run(FlitEngine::kNever - 1);
  ASSERT_EQ(engine.deliveries().size(), 2u);
  EXPECT_EQ(engine.deliveries()[0].time, (2 * 3 + 1 + 3) * 1000);
}

TEST(FlitEngine, IdleRoutersCostNothing) {
  FlitEngine engine = engine_of(*make_cube({{32, 32}}), {});
  engine.post(a_packet(0, 31, 1));
  engine.post(a_packet(0, 31, 1, 1'000'000'000));
  engine.run(FlitEngine::kNever - 1);
  // Each of 32 routers acts in 2 cycles for each packet: for a channel and for the switch.
  EXPECT_EQ(engine.counts().steps, 2u * 2 * 32);
  EXPECT_EQ(engine.counts().hops, 2u * 32);
}

TEST(FlitEngine, RejectsSettingsOutOfRange) {
  const NocGraph mesh = *make_cube({{4, 4}});
  const auto error_of = [&](const NocGraph& graph, auto change) {
    NocSettings settings;
    change(settings);
    const auto made = FlitEngine::make(graph, settings);
    return made ? std::string("none") : made.error().where;
  };
  EXPECT_EQ(error_of(mesh, [](NocSettings& s) { s.channels = 33; }), "channels");
  EXPECT_EQ(error_of(mesh, [](NocSettings& s) { s.buffer = 0; }), "buffer");
  EXPECT_EQ(error_of(mesh, [](NocSettings& s) { s.stages = 5; }), "stages");
  EXPECT_EQ(error_of(mesh, [](NocSettings& s) { s.speedup = 5; }), "speedup");
  EXPECT_EQ(error_of(mesh,
                     [](NocSettings& s) {
                       s.routing = NocRouting::o1turn;
                       s.channels = 1;
                     }),
            "channels");
  EXPECT_EQ(error_of(*make_fully_connected(4), [](NocSettings& s) { s.routing = NocRouting::xy; }),
            "routing");
  NocGraph apart = *make_fully_connected(2);
  apart.links.pop_back();
  EXPECT_EQ(error_of(apart, [](NocSettings& s) { s.routing = NocRouting::shortest; }), "router 1");
  NocGraph twice = mesh;
  twice.links.push_back(twice.links[0]);
  EXPECT_EQ(error_of(twice, [](NocSettings&) {}), "link from router 0 to 1");
  NocGraph slow = mesh;
  slow.links[0].cycles = kMostDelay;
  EXPECT_EQ(error_of(slow, [](NocSettings&) {}), "link from router 0 to 1");
  // One router with 60,000 nodes: its table of requests alone is larger than the limit.
  EXPECT_EQ(error_of(*make_cube({{1}, false, 60'000}), [](NocSettings&) {}), "network");
  EXPECT_EQ(error_of(*make_cube({{1}, false, 65'535}), [](NocSettings&) {}), "network");
  EXPECT_EQ(error_of(*make_cube({{32, 32}}), [](NocSettings& s) { s.buffer = 32768; }), "network");
  EXPECT_FALSE(make_cube({{0, 4}}).has_value());
  EXPECT_FALSE(make_cube({{65536, 65536}}).has_value());
  EXPECT_FALSE(make_cube({{4}, false, 0}).has_value());
}

}  // namespace
}  // namespace orrery::noc

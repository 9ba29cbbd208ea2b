// SPDX-License-Identifier: Apache-2.0
//
// What holds on every network: random topologies, routings, channels and pipelines.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "orrery/network/noc/noc_testing.h"

namespace orrery::noc {
namespace {

using platform::NocRouting;

std::uint32_t among(std::mt19937& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (high - low + 1));
}

/// A connected graph of routers with links of different delays and clocks.
NocGraph random_graph(std::mt19937& random) {
  NocGraph graph;
  const std::uint32_t routers = among(random, 1, 12);
  graph.ports.assign(routers, 0);
  graph.periods = {1000, 700, 1300};
  for (std::uint32_t router = 0; router < routers; ++router)
    graph.domain.push_back(among(random, 0, 2));
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    for (int way = 0; way < 2; ++way) {
      add_link(graph, a, b, among(random, 1, 4), among(random, 0, 2500), among(random, 0, 2) * 900);
      std::swap(a, b);
    }
  };
  for (std::uint32_t router = 1; router < routers; ++router)
    join(router, among(random, 0, router - 1));
  for (std::uint32_t more = among(random, 0, routers); more > 0 && routers > 1; --more) {
    const std::uint32_t a = among(random, 0, routers - 1), b = among(random, 0, routers - 1);
    if (a != b) join(a, b);
  }
  for (std::uint32_t router = 0; router < routers; ++router) {
    for (std::uint32_t nodes = among(random, router == 0 ? 1 : 0, 2); nodes > 0; --nodes)
      add_node(graph, router);
  }
  return graph;
}

struct Network {
  NocGraph graph;
  platform::NocSettings settings;
};

Network random_network(std::mt19937& random) {
  Network made;
  platform::NocSettings& settings = made.settings;
  const std::uint32_t kind = among(random, 0, 3);
  if (kind == 0) {
    made.graph = random_graph(random);
    settings.routing = NocRouting::up_down;
  } else if (kind == 1) {
    made.graph = *make_fully_connected(among(random, 1, 6), among(random, 1, 3));
    settings.routing = NocRouting::shortest;
  } else {
    CubeShape shape;
    shape.wraps = kind == 3;
    for (std::uint32_t dims = among(random, 1, 3); dims > 0; --dims)
      shape.extents.push_back(among(random, 1, 4));
    shape.concentration = among(random, 1, 3);
    shape.link_cycles = among(random, 1, 3);
    made.graph = *make_cube(shape);
    constexpr NocRouting kRoutings[] = {
        NocRouting::xy,        NocRouting::yx,      NocRouting::o1turn, NocRouting::adaptive,
        NocRouting::xy_escape, NocRouting::valiant, NocRouting::up_down};
    settings.routing = kRoutings[among(random, 0, 6)];
  }
  settings.channels = among(random, kind >= 2 ? 4 : 1, 6);
  settings.buffer = among(random, 1, 8);
  settings.stages = among(random, 1, 4);
  settings.credit = among(random, 0, 3);
  settings.speedup = among(random, 1, static_cast<std::uint32_t>(settings.channels));
  settings.iterations = among(random, 1, 3);
  settings.channel_allocator = static_cast<platform::NocAllocator>(among(random, 0, 2));
  settings.switch_allocator = static_cast<platform::NocAllocator>(among(random, 0, 2));
  settings.switching = static_cast<platform::NocSwitching>(among(random, 0, 1));
  settings.waits_for_tail = among(random, 0, 1) == 1;
  return made;
}

std::vector<Packet> random_packets(std::mt19937& random, const Network& network) {
  const std::uint32_t nodes = network.graph.node_count();
  const std::uint32_t most = network.settings.switching == platform::NocSwitching::cut_through
                                 ? static_cast<std::uint32_t>(network.settings.buffer)
                                 : 9;
  std::vector<Packet> made;
  for (std::uint32_t i = 0; i < 150; ++i) {
    Packet one = a_packet(among(random, 0, nodes - 1), among(random, 0, nodes - 1),
                          among(random, 1, most), among(random, 0, 40) * 5000);
    one.tag = i;
    one.key = random();
    made.push_back(one);
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const Packet& a, const Packet& b) { return a.created < b.created; });
  return made;
}

/// Runs in steps of `step` picoseconds; checks in between.
std::vector<Delivery> run(const Network& network, const std::vector<Packet>& packets,
                          std::int64_t step) {
  FlitEngine engine = engine_of(network.graph, network.settings);
  std::size_t next = 0;
  std::uint64_t flits = 0;
  for (std::int64_t now = 0; next < packets.size() || engine.next() != FlitEngine::kNever;
       now += step) {
    for (; next < packets.size() && packets[next].created <= now + step; ++next) {
      // Before the time at which it is created.
      engine.run(packets[next].created - 1);
      engine.post(packets[next]);
      flits += packets[next].size;
    }
    engine.run(now + step);
    const auto [least, most] = engine.credit_range();
    EXPECT_GE(least, 0);
    EXPECT_LE(most, network.settings.buffer);
    // Counted in the buffers and on the links.
    EXPECT_EQ(engine.in_flight(), engine.counts().injected - engine.counts().ejected);
    if (now > 1'000'000'000) {
      ADD_FAILURE() << "packets do not arrive";
      break;
    }
  }
  EXPECT_EQ(engine.counts().injected, flits);
  EXPECT_EQ(engine.in_flight(), 0u);
  const auto [least, most] = engine.credit_range();
  EXPECT_EQ(least, network.settings.buffer);  // all have returned
  EXPECT_EQ(most, network.settings.buffer);
  return {engine.deliveries().begin(), engine.deliveries().end()};
}

void expect_order(const Network& network, const std::vector<Delivery>& deliveries) {
  // With one channel and one route per pair, no packet overtakes another.
  const NocRouting routing = network.settings.routing;
  if (network.settings.channels != 1 || routing == NocRouting::valiant) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;
  for (const Delivery& one : deliveries) {
    const auto [entry, is_first] =
        last.try_emplace({one.packet.source, one.packet.destination}, one.packet.tag);
    if (!is_first) {
      EXPECT_LE(entry->second, one.packet.tag);
    }
    entry->second = one.packet.tag;
  }
}

// Costs 1 s.
TEST(FlitProperties, AllFlitsArriveOnRandomNetworks) {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Network network = random_network(random);
    std::vector<Packet> packets = random_packets(random, network);
    for (std::size_t i = 0; i < packets.size(); ++i) packets[i].tag = static_cast<std::uint32_t>(i);
    const std::vector<Delivery> deliveries = run(network, packets, 7777);
    ASSERT_EQ(deliveries.size(), packets.size());
    for (const Delivery& one : deliveries) {
      EXPECT_EQ(one.packet.received, one.packet.size);
      EXPECT_EQ(one.packet.destination, packets[one.packet.tag].destination);
    }
    expect_order(network, deliveries);
    const std::vector<Delivery> again = run(network, packets, 1'000'000);
    ASSERT_EQ(again.size(), deliveries.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      EXPECT_EQ(again[i].time, deliveries[i].time);
      EXPECT_EQ(again[i].packet.tag, deliveries[i].packet.tag);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace orrery::noc

// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/network/network_driver_testing.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::model {
namespace {

using platform::NocRouting;
using testing::Driver;

platform::Platform noc_cluster(const std::string& network, const std::string& noc = "{}") {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: noc\nnoc: " + noc +
          "\n" + network,
      "drawn", findings);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return *made;
}

std::string grid_fabric(const std::string& kind, int devices, const std::string& sizes) {
  return fmt::format(
      "fabric: {{hosts: [{{count: {}, devices: 1}}], network: {{kind: {}, sizes: {}, port: "
      "{{bandwidth: 32 GB/s, latency: 1 ns}}}}}}",
      devices, kind, sizes);
}

std::map<std::uint32_t, std::int64_t> noc_arrivals(Network& network,
                                                   std::vector<testing::TimedSend> sends) {
  Driver driver(network);
  driver.run(std::move(sends));
  return driver.arrivals;
}

testing::TimedSend noc_message(EndPoint from, EndPoint to, std::int64_t bytes,
                               std::uint32_t token) {
  return {0, {.from = from, .to = to, .bytes = bytes, .token = token, .order = token}};
}

TEST(NocNetwork, FindsMeshesAndTori) {
  const auto extents = [](const std::string& network) {
    return NocNetwork(noc_cluster(network)).engine().graph().extents;
  };
  using Extents = std::vector<std::uint32_t>;
  EXPECT_EQ(extents(grid_fabric("mesh", 12, "[4, 3]")), (Extents{4, 3}));
  EXPECT_EQ(extents(grid_fabric("torus", 60, "[5, 4, 3]")), (Extents{5, 4, 3}));
  EXPECT_EQ(extents(grid_fabric("ring", 8, "[8]")), (Extents{8}));
  EXPECT_EQ(extents("network:\n  - {block: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}\n"
                    "  - {block: ring, size: 6, bandwidth: 10 GB/s, latency: 1 us}"),
            (Extents{4, 6}));
  EXPECT_EQ(extents("network:\n  - {block: switch, size: 4, bandwidth: 10 GB/s, latency: 1 us}"),
            Extents{});
  const NocNetwork torus(noc_cluster(grid_fabric("torus", 16, "[4, 4]")));
  EXPECT_TRUE(torus.engine().graph().wraps[0] && torus.engine().graph().wraps[1]);
  EXPECT_EQ(torus.engine().routes().kind(), NocRouting::xy);
}

// 32 GB/s: flits of 32 B, a cycle of 1 ns. 64 B of payload: a head and 2 flits.
TEST(NocNetwork, ClosedFormWithoutContention) {
  for (const int stages : {1, 2, 3, 4}) {
    NocNetwork network(
        noc_cluster(grid_fabric("mesh", 16, "[4, 4]"), fmt::format("{{stages: {}}}", stages)));
    EXPECT_EQ(network.settings().flit->count(), 32);
    EXPECT_EQ(network.settings().cycle->count(), 1000);
    const std::int64_t expected = 7 * stages + 6 + 3 + 2;
    EXPECT_EQ(network.uncontended_time(0, 15, 64), expected * 1000);
    // A message begins with the next cycle.
    EXPECT_EQ(noc_arrivals(network, {noc_message(0, 15, 64, 1)}).at(1), (1 + expected) * 1000);
  }
}

TEST(NocNetwork, LongMessagesGetThePayloadsShareOfTheSlowestLink) {
  const std::int64_t bytes = 1 << 20;
  for (const char* const kind : {"mesh", "torus"}) {
    NocNetwork network(noc_cluster(grid_fabric(kind, 16, "[4, 4]")));
    const std::int64_t time = noc_arrivals(network, {noc_message(0, 10, bytes, 1)}).at(1);
    EXPECT_GE(time, network.uncontended_time(0, 10, bytes));
    EXPECT_LT(static_cast<double>(time), 1.01 * static_cast<double>(bytes) / 32 * 1000 * 16 / 15);
  }
}

// Two messages over one link take twice as long; over different links they do not.
TEST(NocNetwork, MessagesShareLinks) {
  const std::int64_t bytes = 1 << 16;
  NocNetwork idle(noc_cluster(grid_fabric("mesh", 4, "[4]")));
  const auto alone = noc_arrivals(idle, {noc_message(1, 3, bytes, 0)}).at(0);
  NocNetwork busy(noc_cluster(grid_fabric("mesh", 4, "[4]")));
  const auto shared =
      noc_arrivals(busy, {noc_message(0, 3, bytes, 0), noc_message(1, 3, bytes, 1)});
  EXPECT_GT(std::max(shared.at(0), shared.at(1)), 19 * alone / 10);
  NocNetwork apart(noc_cluster(grid_fabric("mesh", 4, "[4]")));
  const auto both = noc_arrivals(apart, {noc_message(0, 1, bytes, 0), noc_message(3, 2, bytes, 1)});
  EXPECT_EQ(both.at(0), both.at(1));
}

// A torus with a broken link: `auto` and `up_down` go around it.
TEST(NocNetwork, RoutesAvoidABrokenLink) {
  std::string torus = grid_fabric("torus", 16, "[4, 4]");
  torus.pop_back();
  torus += ", faults: [{from: npu0, to: npu1}]}";
  for (const char* const routing : {"auto", "up_down"}) {
    const platform::Platform platform = noc_cluster(torus, fmt::format("{{routing: {}}}", routing));
    const auto checked = check_noc(platform, "cluster.yaml");
    ASSERT_TRUE(checked.has_value()) << to_string(checked.error());
    NocNetwork network(platform);
    EXPECT_EQ(network.engine().routes().kind(), NocRouting::up_down);
    std::vector<testing::TimedSend> sends;
    for (std::uint32_t i = 0; i < 16 * 16; ++i) {
      if (i / 16 != i % 16) sends.push_back(noc_message(i / 16, i % 16, 256, i));
    }
    EXPECT_EQ(noc_arrivals(network, sends).size(), 240u);
    // Two links more than the broken one, at least.
    EXPECT_GE(network.uncontended_time(0, 1, 64), (4 * 3 + 3 + 3 + 2) * 1000);
  }
  EXPECT_FALSE(check_noc(noc_cluster(torus, "{routing: xy}"), "cluster.yaml").has_value());
}

// Routers 0 and 1 act every 1 ns, 2 and 3 every 1.5 ns. The message begins at 1 ns and is at router
// 1 at 7 ns. At 11 ns it is at router 2, which acts at 12 ns and waits for 2 more cycles. Then both
// routers take 4 cycles each, and the last of 3 flits is 2 cycles behind the first.
TEST(NocNetwork, MessagesCrossClocks) {
  const std::string clocks = "{clocks: [{cycle: 1.5 ns, from: [2], to: [3]}]}";
  NocNetwork network(noc_cluster(grid_fabric("mesh", 4, "[4]"), clocks));
  EXPECT_EQ(noc_arrivals(network, {noc_message(0, 3, 64, 1)}).at(1), 30'000);
  EXPECT_EQ(network.uncontended_time(0, 3, 64), 28'000);
  // Back: from 1.5 ns, at router 2 at 10.5 ns, at router 1 at 16.5 ns, which acts at 17 ns and
  // waits until 19 ns. Both routers take 4 cycles, and the last flit is 2 cycles behind the first.
  NocNetwork back(noc_cluster(grid_fabric("mesh", 4, "[4]"), clocks));
  EXPECT_EQ(noc_arrivals(back, {noc_message(3, 0, 64, 1)}).at(1), 29'000);
  NocNetwork direct(
      noc_cluster(grid_fabric("mesh", 4, "[4]"),
                  "{synchronizer: 0, clocks: [{cycle: 1.5 ns, from: [2], to: [3]}]}"));
  EXPECT_EQ(noc_arrivals(direct, {noc_message(0, 3, 64, 1)}).at(1), 27'000);
}

/// Messages between all pairs, some at the same time.
std::vector<testing::TimedSend> all_pairs(std::uint32_t ranks, std::int64_t bytes) {
  std::vector<testing::TimedSend> sends;
  for (std::uint32_t i = 0; i < ranks * ranks; ++i) {
    if (i / ranks == i % ranks) continue;
    sends.push_back(noc_message(i / ranks, i % ranks, bytes, i));
    sends.back().at = std::int64_t{i % 5} * 7'300;
  }
  return sends;
}

// However routers are named, equal cycles are one clock: all arrivals are the same.
TEST(NocNetwork, EqualClocksAreOneClock) {
  for (const char* const kind : {"mesh", "torus"}) {
    const std::string fabric = grid_fabric(kind, 16, "[4, 4]");
    NocNetwork plain(noc_cluster(fabric, "{cycle: 2 ns}"));
    const auto expected = noc_arrivals(plain, all_pairs(16, 300));
    for (const char* const clocks :
         {"{cycle: 2 ns, clocks: [{cycle: 2 ns, from: [1, 0], to: [2, 3]}]}",
          "{clocks: [{cycle: 2 ns, routers: [npu*]}]}",
          "{cycle: 7 ns, clocks: [{cycle: 3 ns, from: [0, 0], to: [3, 3]}, {cycle: 2 ns, "
          "routers: [npu*]}]}"}) {
      NocNetwork network(noc_cluster(fabric, clocks));
      EXPECT_EQ(noc_arrivals(network, all_pairs(16, 300)), expected) << kind << " " << clocks;
    }
  }
}

struct ClockCase {
  std::string network;
  std::vector<std::string> routings, clocks;
};

const std::vector<ClockCase>& clock_cases() {
  static const std::vector<std::string> boxes = {
      "{cycle: 1.7 ns, from: [2, 0], to: [3, 3]}",
      "{cycle: 0.6 ns, from: [0, 0], to: [1, 1]}, {cycle: 2 ns, from: [1, 1], to: [2, 3]}",
      "{cycle: 3 ns, routers: [npu5, npu6]}"};
  static const std::vector<ClockCase> cases = {
      {grid_fabric("mesh", 16, "[4, 4]"),
       {"xy", "yx", "o1turn", "adaptive", "xy_escape", "valiant", "up_down"},
       boxes},
      {grid_fabric("torus", 16, "[4, 4]"), {"xy", "adaptive", "o1turn", "valiant"}, boxes},
      {grid_fabric("torus", 9, "[3, 3]"), {"xy"}, {"{cycle: 1.3 ns, from: [0, 1], to: [2, 1]}"}},
      {"network:\n  - {block: switch, size: 4, bandwidth: 32 GB/s, latency: 3 ns}\n"
       "  - {block: switch, size: 4, bandwidth: 32 GB/s, latency: 5 ns}",
       {"up_down"},
       {"{cycle: 0.7 ns, routers: [dim1.*]}", "{cycle: 1.3 ns, routers: [\"npu*\"]}"}},
      {"network:\n  - {block: fully_connected, size: 8, bandwidth: 32 GB/s, latency: 2 ns}",
       {"shortest"},
       {"{cycle: 1.9 ns, routers: [npu3]}"}}};
  return cases;
}

// Alone, each message lasts as long as the closed form, and up to a cycle of the receiver more for
// each change of clocks on its way.
TEST(NocNetwork, ClosedFormWithSeveralClocks) {
  for (const ClockCase& one : clock_cases()) {
    for (const std::string& routing : one.routings) {
      for (const std::string& clocks : one.clocks) {
        for (const int stages : {1, 2, 3, 4}) {
          const std::string noc = fmt::format(
              "{{stages: {}, buffer: 32, routing: {}, clocks: [{}]}}", stages, routing, clocks);
          SCOPED_TRACE(one.network + noc);
          const platform::Platform platform = noc_cluster(one.network, noc);
          const auto checked = check_noc(platform, "cluster.yaml");
          ASSERT_TRUE(checked.has_value()) << to_string(checked.error());
          NocNetwork network(platform);
          const noc::NocGraph& graph = network.engine().graph();
          ASSERT_GT(graph.periods.size(), 1u);
          const std::int64_t slowest = *std::ranges::max_element(graph.periods);
          const auto ranks = static_cast<std::uint32_t>(platform.npu_count());
          for (std::uint32_t pair = 0; pair < ranks * ranks; pair += 5) {
            const std::uint32_t from = pair / ranks, to = pair % ranks;
            if (from == to) continue;
            NocNetwork alone(platform);
            const std::int64_t at = 100 * pair;
            auto message = noc_message(from, to, 64, 0);
            message.at = at;
            const std::int64_t time = noc_arrivals(alone, {message}).at(0) - at;
            const std::int64_t least = network.uncontended_time(from, to, 64);
            EXPECT_GE(time, least) << from << " to " << to;
            if (!network.engine().routes().has_one_way()) continue;
            // The begin, and at most 6 links between clocks.
            EXPECT_LE(time, least + 7 * slowest) << from << " to " << to;
          }
        }
      }
    }
  }
}

// The links between dies of 2 x 2 have a quarter of the width and 10 ns.
TEST(NocNetwork, DiesHaveOtherLinks) {
  const std::string dies =
      "fabric: {hosts: [{count: 16, devices: 1}], network: {kind: mesh, sizes: [4, 4], port: "
      "{bandwidth: 32 GB/s, latency: 1 ns}, dies: [2, 2], die_link: {bandwidth: 8 GB/s, latency: "
      "10 ns}}}";
  NocNetwork network(noc_cluster(dies));
  EXPECT_EQ(network.engine().graph().extents, (std::vector<std::uint32_t>{4, 4}));
  const NocNetwork plain(noc_cluster(grid_fabric("mesh", 16, "[4, 4]")));
  EXPECT_EQ(network.uncontended_time(0, 1, 64), plain.uncontended_time(0, 1, 64));
  // 9 ns more, and each of the 2 flits behind the head 3 ns later; then they need a cycle less than
  // the head in each router.
  EXPECT_EQ(network.uncontended_time(1, 2, 64), plain.uncontended_time(1, 2, 64) + 14'000);
  EXPECT_EQ(network.uncontended_time(0, 12, 64), plain.uncontended_time(0, 12, 64) + 13'000);
  for (const std::uint32_t to : {1, 3, 12, 15}) {
    NocNetwork alone(noc_cluster(dies));
    EXPECT_EQ(noc_arrivals(alone, {noc_message(0, to, 64, 1)}).at(1),
              alone.uncontended_time(0, to, 64) + 1000);
  }
}

TEST(NocNetwork, NamesWhatCannotBeSimulated) {
  const auto error_of = [](const std::string& network, const std::string& noc) {
    const auto checked = check_noc(noc_cluster(network, noc), "cluster.yaml");
    return checked ? std::string() : checked.error().where + " " + checked.error().what;
  };
  EXPECT_EQ(error_of(grid_fabric("torus", 16, "[4, 4]"), "{routing: valiant}"), "");
  EXPECT_EQ(error_of(grid_fabric("torus", 16, "[4, 4]"), "{channels: 1}"),
            "cluster.yaml: noc: channels the routing divides them into 2 parts");
  EXPECT_THAT(error_of(grid_fabric("torus", 16, "[4, 4]"), "{routing: shortest}"),
              ::testing::StartsWith("cluster.yaml: noc: routing packets can wait for each other "
                                    "forever: router "));
  EXPECT_EQ(error_of("network:\n  - {block: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}",
                     "{routing: xy}"),
            "cluster.yaml: noc: routing it needs a mesh, a torus or a ring without broken links");
  EXPECT_THAT(
      error_of("network:\n  - {block: ring, size: 4, bandwidth: 900 GB/s, latency: 1 s}", "{}"),
      ::testing::HasSubstr("its delay or rate is out of range"));
  const std::string mesh = grid_fabric("mesh", 16, "[4, 4]");
  EXPECT_EQ(error_of(mesh, "{clocks: [{cycle: 1 ns, routers: [npu16]}]}"),
            "cluster.yaml: noc: clocks/0 the network has no node \"npu16\"");
  EXPECT_EQ(error_of(mesh, "{clocks: [{cycle: 1 ns, from: [0, 0], to: [3, 4]}]}"),
            "cluster.yaml: noc: clocks/0 the box is not within the network");
  EXPECT_EQ(error_of("network:\n  - {block: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}",
                     "{clocks: [{cycle: 1 ns, from: [0], to: [3]}]}"),
            "cluster.yaml: noc: clocks/0 a box of routers needs a mesh, a torus or a ring");
}

}  // namespace
}  // namespace orrery::model

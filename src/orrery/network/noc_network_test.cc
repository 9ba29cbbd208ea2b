// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace orrery::model

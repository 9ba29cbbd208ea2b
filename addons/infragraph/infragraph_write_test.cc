// SPDX-License-Identifier: Apache-2.0
//
// What is written as InfraGraph reads back as the same topology.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "addons/infragraph/infragraph.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

void expect_same(const Topology& a, const Topology& b) {
  EXPECT_EQ(a.name(), b.name());
  ASSERT_EQ(a.node_count(), b.node_count());
  EXPECT_EQ(a.host_count(), b.host_count());
  for (NodeIndex node = 0; node < a.node_count(); ++node) {
    EXPECT_EQ(a.name(node), b.name(node));
    EXPECT_EQ(name(a.kind(node)), name(b.kind(node))) << a.name(node);
    EXPECT_EQ(a.host(node), b.host(node)) << a.name(node);
    EXPECT_EQ(a.rank(node), b.rank(node)) << a.name(node);
  }
  ASSERT_EQ(a.link_count(), b.link_count());
  for (LinkIndex link = 0; link < a.link_count(); ++link)
    ASSERT_EQ(a.link(link), b.link(link)) << a.link_name(link);
}

void expect_round_trip(const Topology& topology) {
  const std::string text = write_infragraph(topology);
  Findings findings;
  const auto again = read_topology(text, "written", findings);
  ASSERT_TRUE(again) << to_string(again.error()) << "\n" << text.substr(0, 2000);
  expect_same(topology, *again);
  EXPECT_EQ(findings.list().size(), topology.devices().empty() ? 1U : 0U);
  EXPECT_EQ(write_infragraph(*again), text);
}

TEST(WriteInfragraph, HostsAreInstancesAndAlikeOnesShareADevice) {
  TopologyBuilder builder("two hosts", "test");
  for (int host = 0; host < 2; ++host) {
    const std::uint32_t at = builder.add_host();
    for (int i = 0; i < 2; ++i) builder.add(NodeClass::device, "gpu " + std::to_string(i), at);
    const NodeIndex nvswitch = builder.add(NodeClass::nvswitch, "nvsw", at);
    for (NodeIndex gpu = nvswitch - 2; gpu < nvswitch; ++gpu)
      builder.join(gpu, nvswitch, {Bandwidth(25e9), ns(25), 18, LinkClass::scale_up});
  }
  const NodeIndex leaf = builder.add(NodeClass::leaf, "leaf");
  builder.join(0, leaf, {Bandwidth(50e9), ns(500), 1, LinkClass::network});
  builder.join(3, leaf, {Bandwidth(50e9), ns(500), 1, LinkClass::network});
  builder.set_rank(4, 0);
  const auto topology = builder.finish("test");
  ASSERT_TRUE(topology) << to_string(topology.error());
  expect_round_trip(*topology);
  // For everybody else: plain InfraGraph, a bundle as wide as its links together.
  const auto plain = config::parse_yaml(write_infragraph(*topology), "written");
  const config::Json& file = (*plain)["infrastructure"];
  EXPECT_EQ(file["devices"].size(), 2U);
  EXPECT_EQ(file["instances"].size(), 3U);
  EXPECT_EQ(file["edges"].size(), 2U);
  EXPECT_EQ(file["devices"][0]["links"][0]["physical"]["bandwidth"]["gigabits_per_second"], 3600);
  config::Json bare = file;
  Findings findings;
  const auto others = read_infragraph(bare, 2000, "bare", findings);
  ASSERT_TRUE(others) << to_string(others.error());
  EXPECT_EQ(others->node_count(), topology->node_count());
  EXPECT_EQ(others->link_count(), topology->link_count());
  EXPECT_EQ(others->host_count(), 2U);
}

TEST(WriteInfragraph, RandomTopologies) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    TopologyBuilder builder("random " + std::to_string(trial), "test");
    const std::uint32_t hosts = below(4), nodes = 1 + below(12);
    for (std::uint32_t i = 0; i < hosts; ++i) builder.add_host();
    std::vector<NodeIndex> devices;
    for (NodeIndex node = 0; node < nodes; ++node) {
      const auto kind = static_cast<NodeClass>(below(kNodeClasses));
      builder.add(kind, "n: " + std::to_string(below(5)),
                  hosts > 0 && below(3) > 0 ? below(hosts) : Topology::kNoHost);
      if (kind == NodeClass::device) devices.push_back(node);
    }
    std::shuffle(devices.begin(), devices.end(), random);
    for (std::uint32_t rank = 0; rank < devices.size(); ++rank)
      builder.set_rank(devices[rank], rank);
    for (std::uint32_t i = below(30); i > 0 && nodes > 1; --i) {
      const NodeIndex from = below(nodes), to = (from + 1 + below(nodes - 1)) % nodes;
      LinkFigures figures{Bandwidth(below(3) * 12.3456789e9 / 7), std::nullopt, 1 + below(4),
                          static_cast<LinkClass>(below(kLinkClasses))};
      if (below(2) == 0) figures.latency = Time(below(1'000'000));
      if (below(3) == 0) {
        builder.link(from, to, figures);
      } else {
        builder.join(from, to, figures);
      }
    }
    const auto topology = builder.finish("test");
    ASSERT_TRUE(topology) << to_string(topology.error());
    expect_round_trip(*topology);
  }
}

TEST(WriteInfragraph, SamplesOfEveryFormat) {
  const std::filesystem::path folder =
      std::filesystem::path(core_testing::kSourceFolder) / "../shared/data/fabrics";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "shared/data is not next to this checkout";
  int written = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().string().find("msccl") != std::string::npos)
      continue;
    SCOPED_TRACE(entry.path().string());
    Findings findings;
    const auto topology = read_topology_file(entry.path().string(), findings);
    if (!topology || topology->node_count() > 2000) continue;
    ++written;
    expect_round_trip(*topology);
  }
  EXPECT_GT(written, 140);
}

TEST(WriteInfragraph, ChangedAnnotationsAreAnError) {
  TopologyBuilder builder("two", "test");
  builder.add(NodeClass::device, "a");
  builder.add(NodeClass::device, "b");
  builder.join(0, 1, {Bandwidth(1e9), std::nullopt, 1, LinkClass::scale_up});
  const std::string text = write_infragraph(*builder.finish("test"));
  const auto error = [&](std::string_view from, std::string_view to) {
    return formats_testing::Reading(formats_testing::changed(text, from, to)).error();
  };
  for (const auto& [from, to] : {std::pair{"1 device", "7 device"},
                                 {"1 device", "0 device"},
                                 {"1 device", "1 thing"},
                                 {"part1.0.xpu", "part1.0.cpu"}})
    EXPECT_EQ(error(from, to),
              "f:/annotations/nodes: the annotation \"orrery\" was not written by Orrery (E2003)");
  EXPECT_EQ(error("scale-up:1000000000:-:1 |", "scale-up:fast:-:1 |"),
            "f:/annotations/links: the annotation \"orrery\" was not written by Orrery (E2003)");
}

}  // namespace
}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// Memories that hang in the network, as cluster files say it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

const std::string kMemoryLink = "link: {bandwidth: 5 GB/s, latency: 300 ns}";
const std::string kMemoryHosts =
    "fabric: {hosts: [{count: 4, devices: 2, scale_up: {bandwidth: 100 GB/s, latency: 100 ns}, "
    "nics: 2, pcie: {bandwidth: 50 GB/s, latency: 200 ns}}], network: {kind: fat_tree, "
    "per_leaf: 4, radix: 8, port: {bandwidth: 10 GB/s, latency: 1 us}}";
const std::string kOverTheNetwork = "\nremote_memory: {kind: network}";

Result<Platform> read_memories(const std::string& text) {
  Findings findings;
  return parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + text, "c.yaml",
                       findings);
}
std::string memory_problem(const std::string& text) {
  const auto made = read_memories(text);
  return made ? "" : to_string(made.error());
}
std::string at(const std::string& node, const std::string& more = kMemoryLink) {
  return kMemoryHosts + ", memories: [{at: \"" + node + "\"" + (more.empty() ? "" : ", ") + more +
         "}]}" + kOverTheNetwork;
}

// What is read and what is written both cross the link whose bandwidth the rate is.
TEST(FabricMemories, HaveARateForBothDirections) {
  const std::string of_dims =
      "network: [{block: switch, size: 4, bandwidth: 50 GB/s, latency: 100 ns, memories: {" +
      kMemoryLink + ", rate: 3 GB/s}}]\nnetwork_model: flow" + kOverTheNetwork;
  for (const std::string& text : {at("leaf1", kMemoryLink + ", rate: 3 GB/s"), of_dims}) {
    const auto made = read_memories(text);
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(memory_count(*made), 1U);
    const auto built = made->fabric ? Result<Topology>(made->fabric->topology)
                                    : stack_dimensions(made->dims, "dims");
    ASSERT_TRUE(built) << to_string(built.error());
    NodeIndex memory = 0;
    while (built->kind(memory) != NodeClass::memory) ++memory;
    const auto only = [&](NodeIndex node) {
      const auto [first, end] = built->out(node);
      EXPECT_EQ(end - first, 1U) << "the only way on, for either";
      return built->link(first);
    };
    const NodeIndex in = only(memory).to;
    EXPECT_EQ(built->kind(in), NodeClass::port);
    EXPECT_EQ(only(in).figures.bandwidth, Bandwidth(3e9));
  }
  EXPECT_THAT(memory_problem(at("leaf1", kMemoryLink + ", rate: 0 GB/s")), HasSubstr("rate"));
  EXPECT_THAT(memory_problem(at("host0.gpu0", "rate: 3 GB/s")), HasSubstr("memories/0/link"));
}

TEST(FabricMemories, HangWhereTheyAreSaidTo) {
  const auto made = read_memories(at("leaf*", "count: 3, " + kMemoryLink));
  ASSERT_TRUE(made) << to_string(made.error());
  const Fabric& fabric = *made->fabric;
  ASSERT_EQ(fabric.memories.size(), 6U);  // of two leaves
  EXPECT_EQ(memory_count(*made), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const NodeIndex memory = fabric.memories[i];
    EXPECT_EQ(fabric.topology.kind(memory), NodeClass::memory);
    EXPECT_EQ(fabric.topology.name(memory), "memory" + std::to_string(i));
    const auto [first, last] = fabric.topology.out(memory);
    ASSERT_EQ(last - first, 1U);
    const Link& link = fabric.topology.link(first);
    EXPECT_EQ(fabric.topology.name(link.to), i < 3 ? "leaf0" : "leaf1");
    EXPECT_EQ(link.figures, (LinkFigures{Bandwidth(5e9), ns(300), 1, LinkClass::memory}));
    EXPECT_EQ(fabric.topology.in(memory).size(), 1U);
  }
}

// Ranks and all other nodes are who they were.
TEST(FabricMemories, ChangeNothingElse) {
  const auto without = read_memories(kMemoryHosts + "}");
  const auto with = read_memories(at("host1.nic0"));
  ASSERT_TRUE(without && with);
  const Topology &a = without->fabric->topology, &b = with->fabric->topology;
  ASSERT_EQ(b.node_count(), a.node_count() + 1);
  EXPECT_EQ(with->fabric->rank_devices, without->fabric->rank_devices);
  for (NodeIndex node = 0; node < a.node_count(); ++node) {
    EXPECT_EQ(a.name(node), b.name(node));
    EXPECT_EQ(a.rank(node), b.rank(node));
  }
  EXPECT_EQ(b.host(a.node_count()), 1U) << "in the host of what it hangs on";
  EXPECT_EQ(b.link_count(), a.link_count() + 2);
  EXPECT_EQ(with->dims.size(), without->dims.size());
}

TEST(FabricMemories, CanBreakLikeOthers) {
  const auto made = read_memories(kMemoryHosts + ", memories: [{at: leaf0, " + kMemoryLink +
                                  "}], faults: [{from: memory0, to: leaf0, bandwidth: 0.5}]}");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->fabric->faults[0].links.size(), 2U);
  EXPECT_THAT(memory_problem(kMemoryHosts + ", memories: [{at: leaf0, " + kMemoryLink +
                             "}], faults: [{node: memory0}]}"),
              HasSubstr("no path from host0.gpu0 to memory0"));
}

TEST(FabricMemories, ComeBackAsTheyWereWritten) {
  for (const std::string& text :
       {at("leaf*"),
        "network: [{block: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us, memories: "
        "{count: 2, " +
            kMemoryLink + "}}]\nremote_memory: {kind: network, latency: 2 us, spread: true}"}) {
    const auto made = read_memories(text);
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(made->network, NetworkModelKind::flow);
    const std::string written = resolved_cluster(*made);
    Findings findings;
    const auto again = parse_cluster(written, "again.yaml", findings);
    ASSERT_TRUE(again) << written << to_string(again.error());
    EXPECT_EQ(resolved_cluster(*again), written);
    EXPECT_EQ(memory_count(*again), memory_count(*made));
    EXPECT_EQ(again->remote_memory.spread, made->remote_memory.spread);
  }
}

TEST(FabricMemories, MistakesAreTold) {
  EXPECT_THAT(memory_problem(at("leef0")), HasSubstr("/memories/0/at: the fabric has no node"));
  EXPECT_THAT(memory_problem(at("leaf0", "")), HasSubstr("/memories/0/link: is missing"));
  EXPECT_THAT(memory_problem(at("leaf0", "link: {bandwidth: 1 GB/s}")),
              HasSubstr("/memories/0/link/latency: is missing"));
  EXPECT_THAT(memory_problem(at("*", "count: 16384, " + kMemoryLink)),
              HasSubstr("more than 16384 memories"));
  EXPECT_THAT(memory_problem(kMemoryHosts + "}" + kOverTheNetwork),
              HasSubstr("the network has no memories"));
  const std::string dims = "network: [{block: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us";
  const std::string hung = dims + ", memories: {" + kMemoryLink + "}}]";
  EXPECT_EQ(memory_problem(hung), "");
  EXPECT_EQ(memory_problem(hung + kOverTheNetwork + "\nnetwork_model: message"), "");
  EXPECT_THAT(memory_problem(hung + kOverTheNetwork + "\nnetwork_model: analytical"),
              HasSubstr("the analytical network of dimensions has no memories"));
  EXPECT_THAT(memory_problem(dims + "}]" + kOverTheNetwork),
              HasSubstr("add `memories` to a `fabric`"));
  EXPECT_THAT(memory_problem("network: [{block: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us, "
                             "memories: {" +
                             kMemoryLink + "}}]"),
              HasSubstr("this block has no switch"));
  EXPECT_THAT(memory_problem(hung + "\nremote_memory: {kind: network, bandwidth: 1 GB/s}"),
              HasSubstr("/remote_memory/bandwidth: is given, but kind is network"));
  EXPECT_THAT(memory_problem(hung + "\nremote_memory: {kind: pool, bandwidth: 1 GB/s, "
                                    "spread: true}"),
              HasSubstr("/remote_memory/spread: is for kind network only"));
  EXPECT_THAT(memory_problem(kMemoryHosts + "}\nnetwork: [{block: switch, size: 8, memories: {" +
                             kMemoryLink + "}}]"),
              HasSubstr("add memories under `fabric: memories`"));
}

TEST(FabricMemories, OfDimensionsHangAtTheirSwitches) {
  const std::vector<Dimension> dims{
      {Block::ring, 2, Bandwidth(1e9), 100},
      {Block::switched, 3, Bandwidth(2e9), 200, {}, Memories{2, Bandwidth(5e9), ns(300)}}};
  const auto made = stack_dimensions(dims, "two");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->node_count(), 6U + 2U + 4U);
  EXPECT_EQ(made->devices().size(), 6U);
  for (NodeIndex i = 0; i < 4; ++i) {
    const auto [first, last] = made->out(8 + i);
    ASSERT_EQ(last - first, 1U);
    EXPECT_EQ(made->link_name(first),
              "memory" + std::to_string(i) + " -> dim1.switch" + std::to_string(i / 2));
  }
}

// Of a topology that is there: what it had keeps its numbers and ranks.
TEST(FabricMemories, TopologiesCanBeGoneOnFrom) {
  TopologyBuilder builder("two", "test");
  for (const char* name : {"a", "b"}) builder.add(NodeClass::device, name);
  builder.join(0, 1, {Bandwidth(1e9), ns(1)});
  builder.set_rank(1, 0);
  const auto first = builder.finish("test");
  ASSERT_TRUE(first);
  TopologyBuilder more(*first);
  more.join(more.add(NodeClass::memory, "m"), 0, {Bandwidth(2e9), ns(2)});
  const auto made = more.finish("test");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->rank(1), 0U);
  EXPECT_EQ(made->rank(0), 1U);
  EXPECT_EQ(made->name(2), "m");
  EXPECT_EQ(made->link_count(), 4U);
  EXPECT_EQ(made->link(made->between(0, 1).first), first->link(0));
}

}  // namespace
}  // namespace orrery::platform

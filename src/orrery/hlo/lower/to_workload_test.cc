// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/to_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/hlo/lower/hlo_testing.h"

namespace orrery::hlo {
namespace {

using testing::function;
using ::testing::HasSubstr;

graph::Workload workload(std::string_view text) {
  Findings findings;
  auto made = to_workload(testing::read(text, findings), "p", findings);
  EXPECT_TRUE(made) << to_string(made.error());
  return made ? *std::move(made) : graph::Workload{};
}

std::string reduced(std::string_view groups) {
  return function("%a: tensor<8xf32>", "tensor<8xf32>",
                  "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<" +
                      std::string(groups) +
                      ">}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                      "%s = stablehlo.add %x, %y : tensor<f32>\n"
                      "stablehlo.return %s : tensor<f32>\n"
                      "}) : (tensor<8xf32>) -> tensor<8xf32>\n"
                      "%1 = stablehlo.tanh %0 : tensor<8xf32>\n"
                      "return %1 : tensor<8xf32>\n");
}

/// Members of the group of the first collective at a rank.
std::vector<std::uint32_t> members(const graph::Workload& of, std::uint32_t rank) {
  const graph::Graph& graph = of.graph(rank);
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != graph::NodeKind::coll) continue;
    const std::string name(graph.string(graph.collective(n).group));
    if (const auto axis = of.axes.find(name); axis != of.axes.end())
      return axis->second.members(axis->second.first(rank));
    const auto group = of.groups.find(name);
    EXPECT_NE(group, of.groups.end()) << name;
    if (group != of.groups.end()) return group->second.ranks;
  }
  return {};
}

TEST(ProgramWorkload, SharesAGraphIfGroupsFollowAPattern) {
  const graph::Workload neighbors = workload(reduced("[[0, 1], [2, 3]]> : tensor<2x2xi64"));
  EXPECT_EQ(neighbors.graphs.size(), 1u);
  EXPECT_EQ(members(neighbors, 3), (std::vector<std::uint32_t>{2, 3}));
  const graph::Workload strided = workload(reduced("[[0, 2], [1, 3]]> : tensor<2x2xi64"));
  EXPECT_EQ(strided.graphs.size(), 1u);
  EXPECT_EQ(members(strided, 3), (std::vector<std::uint32_t>{1, 3}));
  const graph::Workload crossed = workload(reduced("[[0, 3], [1, 2]]> : tensor<2x2xi64"));
  EXPECT_EQ(crossed.graphs.size(), 2u);
  EXPECT_EQ(members(crossed, 3), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(members(crossed, 1), (std::vector<std::uint32_t>{1, 2}));
}

TEST(ProgramWorkload, LeavesOutCollectivesOfSingleDevices) {
  const graph::Workload alone = workload(reduced("[[0], [1], [2], [3]]> : tensor<4x1xi64"));
  EXPECT_EQ(alone.graphs.size(), 1u);
  EXPECT_TRUE(members(alone, 0).empty());
  EXPECT_EQ(alone.graph(0).size(), 1u);
}

TEST(ProgramWorkload, SendsAroundARing) {
  const graph::Workload ring = workload(function(
      "%a: tensor<8xf32>", "tensor<8xf32>",
      "%0 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, 1], [1, 2], "
      "[2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>\n"
      "%1 = stablehlo.tanh %0 : tensor<8xf32>\nreturn %1 : tensor<8xf32>\n"));
  EXPECT_EQ(ring.graphs.size(), 3u);  // the first, the last, and those between
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const graph::Graph& graph = ring.graph(rank);
    ASSERT_EQ(graph.size(), 3u);
    EXPECT_EQ(graph.message(0, rank).dst, static_cast<std::int32_t>((rank + 1) % 4));
    EXPECT_EQ(graph.message(1, rank).src, static_cast<std::int32_t>((rank + 3) % 4));
    EXPECT_EQ(graph.message(0, rank).size, Bytes(32));
    EXPECT_EQ(graph.edge(1, 2), 0u);  // the kernel waits for what arrives
  }
}

TEST(ProgramWorkload, RefusesWrongGroupsAndUnappliedShardings) {
  Findings findings;
  const Program wrong = testing::read(reduced("[[0, 7], [1, 2]]> : tensor<2x2xi64"), findings);
  const auto made = to_workload(wrong, "p", findings);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::input_group);
  EXPECT_THAT(made.error().what, HasSubstr("names device 7, but the program has 4"));
  const auto whole = to_workload(
      testing::read(
          function("%a: tensor<8xf32> {mhlo.sharding = \"{devices=[4]<=[4]}\"}", "tensor<8xf32>",
                   "%0 = stablehlo.abs %a : tensor<8xf32>\nreturn %0 : tensor<8xf32>\n"),
          findings),
      "p", findings);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().code, Errc::input_unsupported);
}

}  // namespace
}  // namespace orrery::hlo

// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/rank_structure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orrery/analysis/workload/parallelism.h"
#include "orrery/graph/builder.h"

namespace orrery::analysis {
namespace {

using graph::Operation;
using graph::Pass;

/// Works one after another on one device, by their kernels.
class RankByHand {
 public:
  void add(const std::string& name, Operation operation, Pass pass) {
    graph::Kernel kernel;
    kernel.operation = operation;
    kernel.pass = pass;
    kernel.sizes[0] = static_cast<std::int64_t>(name.size());
    graph::NodeSpec node;
    node.id = ++last_;
    node.kind = graph::NodeKind::comp;
    node.name = builder_.strings().intern(name);
    node.duration = us(1);
    node.kernel = builder_.kernels().intern(kernel);
    if (last_ > 1) node.deps = {last_ - 1};
    builder_.add(node);
  }
  void layers(int count, Pass pass) {
    for (int i = 0; i < count; ++i) {
      add("norm " + std::to_string(i), Operation::rms_norm, pass);
      add("product " + std::to_string(i), Operation::gemm, pass);
    }
  }
  RankStructure structure() {
    Findings findings;
    const auto graph = std::move(builder_).finish(findings);
    EXPECT_TRUE(graph.has_value());
    return analysis::structure(*graph);
  }

 private:
  graph::GraphBuilder builder_{"rank", std::make_shared<StringPool>(), graph::Repair::refuse};
  std::uint64_t last_ = 0;
};

TEST(Structure, StepsOfMicrobatchesOfLayers) {
  RankByHand rank;
  for (int step = 0; step < 3; ++step) {
    for (int microbatch = 0; microbatch < 4; ++microbatch) {
      rank.add("embedding", Operation::embedding, Pass::forward);
      rank.layers(6, Pass::forward);
      rank.add("loss", Operation::cross_entropy, Pass::forward);
      rank.layers(6, Pass::backward);
    }
    rank.add("optimizer", Operation::optimizer, Pass::forward);
  }
  const RankStructure found = rank.structure();
  EXPECT_EQ(found.operations, 3u * (4 * 26 + 1));
  EXPECT_EQ(found.layers, 6u);
  EXPECT_EQ(found.forwards, 4u);
  EXPECT_EQ(found.steps, 3u);
  ASSERT_EQ(found.parts.size(), 1u);
  const Block& step = found.parts[0];
  EXPECT_EQ(step.role, BlockRole::step);
  EXPECT_EQ(step.times, 3u);
  EXPECT_EQ(step.time, us(static_cast<std::int64_t>(found.operations)));
  ASSERT_EQ(step.parts.size(), 2u);
  EXPECT_EQ(step.parts[0].role, BlockRole::microbatch);
  EXPECT_EQ(step.parts[0].times, 4u);
  EXPECT_EQ(step.parts[1].begins, "optimizer");
  ASSERT_EQ(step.parts[0].parts.size(), 4u);
  EXPECT_EQ(step.parts[0].parts[1].role, BlockRole::forward);
  EXPECT_EQ(step.parts[0].parts[1].times, 6u);
  EXPECT_EQ(step.parts[0].parts[3].role, BlockRole::backward);
}

// Steps whose optimizer nothing names, of layers that are all different, are no layers.
TEST(Structure, WhatGoesForwardAndBackwardIsNoLayer) {
  RankByHand rank;
  for (int step = 0; step < 5; ++step) {
    rank.add("a", Operation::gemm, Pass::forward);
    rank.add("bb", Operation::gemm, Pass::forward);
    rank.add("bbb", Operation::gemm, Pass::backward);
    rank.add("aaaa", Operation::gemm, Pass::backward);
  }
  const RankStructure found = rank.structure();
  EXPECT_EQ(found.layers, 0u);
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_EQ(found.parts[0].role, BlockRole::microbatch);
}

TEST(Structure, OfWorksThatAreAllDifferent) {
  RankByHand rank;
  rank.add("a", Operation::gemm, Pass::forward);
  rank.add("bb", Operation::gemm, Pass::forward);
  const RankStructure found = rank.structure();
  EXPECT_EQ(found.layers, 0u);
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_EQ(found.parts[0].role, BlockRole::sequence);
  EXPECT_EQ(found.parts[0].operations, 2u);
}

/// Four ranks, two of each axis: a collective of tp in each of three layers, one of dp behind them,
/// and a message to the rank two further on or back.
TEST(Parallelism, IsToldByWhatIsDoneInGroups) {
  graph::Workload workload;
  workload.axes["tp"] = {"tp", {{1, 2, 1}}};
  workload.axes["dp"] = {"dp", {{2, 2, 1}}};
  const auto strings = std::make_shared<StringPool>();
  for (const std::int32_t to : {2, 3, 0, 1}) {
    graph::GraphBuilder builder("rank", strings, graph::Repair::refuse);
    std::uint64_t id = 0;
    const auto add = [&](graph::NodeKind kind, const std::string& name) {
      graph::NodeSpec node;
      node.id = ++id;
      node.kind = kind;
      node.name = strings->intern(name);
      if (id > 1) node.deps = {id - 1};
      if (kind == graph::NodeKind::comp) {
        graph::Kernel kernel;
        kernel.operation = Operation::gemm;
        node.kernel = builder.kernels().intern(kernel);
      }
      if (kind == graph::NodeKind::coll) {
        node.collective.group = strings->intern(name);
        node.collective.size = Bytes(1 << 20);
      }
      node.message.dst = to;
      builder.add(node);
    };
    for (int layer = 0; layer < 3; ++layer) {
      add(graph::NodeKind::comp, "a");
      add(graph::NodeKind::coll, "tp");
      add(graph::NodeKind::comp, "b");
    }
    add(graph::NodeKind::coll, "dp");
    add(graph::NodeKind::send, "send");
    Findings findings;
    auto graph = std::move(builder).finish(findings);
    ASSERT_TRUE(graph.has_value());
    workload.graph_of_rank.push_back(static_cast<std::uint32_t>(workload.graphs.size()));
    workload.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
  }
  std::vector<RankStructure> found;
  for (const graph::GraphRef& graph : workload.graphs) found.push_back(structure(*graph));
  EXPECT_EQ(found[1].layers, 3u);
  const Parallelism parallelisms = parallelism(workload, found)[1];
  EXPECT_EQ(parallelisms.stages, 2u);
  ASSERT_EQ(parallelisms.groups.size(), 2u);
  EXPECT_EQ(parallelisms.groups[0].group, "tp");
  EXPECT_EQ(parallelisms.groups[0].ranks, 2u);
  EXPECT_EQ(parallelisms.groups[0].stride, 1u);
  EXPECT_EQ(parallelisms.groups[0].collectives, 3u);
  EXPECT_TRUE(parallelisms.groups[0].every_layer);
  EXPECT_EQ(parallelisms.groups[0].axis, RankAxisKind::tensor);
  EXPECT_EQ(parallelisms.groups[1].axis, RankAxisKind::data);
  EXPECT_EQ(parallelisms.groups[1].stride, 2u);
  EXPECT_FALSE(parallelisms.groups[1].every_layer);
}

TEST(Structure, OfNothing) { EXPECT_TRUE(RankByHand().structure().parts.empty()); }

}  // namespace
}  // namespace orrery::analysis

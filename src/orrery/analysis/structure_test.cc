// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/structure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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
  EXPECT_EQ(found.works, 3u * (4 * 26 + 1));
  EXPECT_EQ(found.layers, 6u);
  EXPECT_EQ(found.forwards, 4u);
  EXPECT_EQ(found.steps, 3u);
  ASSERT_EQ(found.parts.size(), 1u);
  const Block& step = found.parts[0];
  EXPECT_EQ(step.role, BlockRole::step);
  EXPECT_EQ(step.times, 3u);
  EXPECT_EQ(step.time, us(static_cast<std::int64_t>(found.works)));
  ASSERT_EQ(step.parts.size(), 2u);
  EXPECT_EQ(step.parts[0].role, BlockRole::microbatch);
  EXPECT_EQ(step.parts[0].times, 4u);
  EXPECT_EQ(step.parts[1].begins, "optimizer");
  ASSERT_EQ(step.parts[0].parts.size(), 4u);
  EXPECT_EQ(step.parts[0].parts[1].role, BlockRole::forward);
  EXPECT_EQ(step.parts[0].parts[1].times, 6u);
  EXPECT_EQ(step.parts[0].parts[3].role, BlockRole::backward);
}

TEST(Structure, OfWorksThatAreAllDifferent) {
  RankByHand rank;
  rank.add("a", Operation::gemm, Pass::forward);
  rank.add("bb", Operation::gemm, Pass::forward);
  const RankStructure found = rank.structure();
  EXPECT_EQ(found.layers, 0u);
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_EQ(found.parts[0].role, BlockRole::works);
  EXPECT_EQ(found.parts[0].works, 2u);
}

TEST(Structure, OfNothing) { EXPECT_TRUE(RankByHand().structure().parts.empty()); }

}  // namespace
}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
//
// What the ends of a pipeline, and pipelines that run both ways, sum up between stages.
#include <gtest/gtest.h>

#include "orrery/workload/assembly/data_parallel_testing.h"

namespace orrery::workload {
namespace {

using graph::CollectiveType;
using namespace data_tests;  // NOLINT(google-build-using-namespace)

TEST(AssembleEnds, TiedTablesAreSummedBetweenTheEnds) {
  Spec spec = spec_of(4, 4, 4);
  spec.model.tied_embeddings = true;
  const Program program = program_of(spec);
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(bytes_of(nodes_of(program, stage), CollectiveType::all_reduce, "embedding"),
              stage % 3 == 0 ? 4 * kTable : 0);
  }
  // Both ends of a V lie on one rank: one table, no sum.
  spec.schedule.kind = ScheduleKind::zb_v;
  spec.schedule.chunks = 2;
  spec.model.layers = 8;
  const Program v = program_of(spec);
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    EXPECT_TRUE(collectives(nodes_of(v, stage)).empty());
  const PartRun head = v.roles[0].chunks[1].back();
  EXPECT_EQ(v.parts[head.part].name, "head");
  EXPECT_EQ(v.parts[head.part].weights.total(), 8);
}

// Each of two pipes holds the whole model: stages s and 3 - s hold the same layers.
TEST(AssembleEnds, DualPipeExchangesGradientsBetweenTwins) {
  Spec spec = spec_of(8, 4, 8);
  spec.model.tied_embeddings = true;
  spec.schedule.kind = ScheduleKind::dual_pipe;
  spec.schedule.chunks = 2;
  const Program program = program_of(spec);
  std::int64_t weights = 0;
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    std::int64_t own = 0;
    for (const auto& chunk : program.roles[stage].chunks) {
      for (const PartRun& run : chunk) own += run.count * program.parts[run.part].weights.total();
    }
    weights += own;
    const std::vector<Node> nodes = nodes_of(program, stage);
    const Node& send = node_named(nodes, "gradients.send");
    EXPECT_EQ(send.message.size.count(), 4 * own);
    EXPECT_EQ(send.message.dst, 3 - 2 * static_cast<std::int64_t>(stage));
    EXPECT_EQ(node_named(nodes, "gradients.add").work.num_ops, own);
  }
  EXPECT_EQ(weights, 2 * (kTable + 8 * 624 + 8));
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/graph_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery::workload {
namespace {

Spec staged() {
  Spec spec;
  spec.model.layers = 8;
  spec.model.hidden = 256;
  spec.model.heads = 8;
  spec.parallel.pp = 2;
  spec.parallel.dp = 2;
  spec.batch.seq = 128;
  spec.batch.global = 16;
  return spec;
}

// Stretches follow each other without a gap, over all nodes, and hold what the account says.
TEST(HeldMemory, IsTheAccountByNode) {
  Findings findings;
  const auto program = assemble(staged(), findings);
  ASSERT_TRUE(program.has_value());
  const auto workload = to_workload(*program);
  ASSERT_TRUE(workload.has_value());
  const auto report = account_memory(*program);
  ASSERT_TRUE(report.has_value());
  const auto held = graph_memory(*program, *report, *workload);
  ASSERT_EQ(held.size(), workload->graphs.size());
  for (std::uint32_t rank = 0; rank < workload->rank_count(); ++rank) {
    const graph::HeldMemory& mine = held[workload->graph_of_rank[rank]];
    const RoleMemory& account = report->roles[program->role_of(rank)];
    EXPECT_EQ(mine.role, program->roles[program->role_of(rank)].name);
    ASSERT_EQ(mine.segments.size(), account.samples.size());
    graph::NodeId next = 0;
    Bytes most = mine.constant;
    for (std::size_t i = 0; i < mine.segments.size(); ++i) {
      EXPECT_EQ(mine.segments[i].first, next);
      EXPECT_EQ(mine.segments[i].bytes, Bytes(account.samples[i].bytes));
      next = mine.segments[i].end;
      most = std::max(most, mine.segments[i].bytes);
    }
    EXPECT_EQ(next, workload->graph(rank).size());
    EXPECT_EQ(most, Bytes(account.peak));
    Bytes all{};
    for (const graph::HeldMemory::Tensor& item : mine.at_peak) all += item.bytes;
    EXPECT_EQ(all, most);
  }
}

TEST(HeldMemory, SaysNothingOverTimeWithoutSamples) {
  Findings findings;
  const auto program = assemble(staged(), findings);
  ASSERT_TRUE(program.has_value());
  MemoryOptions peaks;
  peaks.details = false;
  const auto report = account_memory(*program, peaks);
  const auto workload = to_workload(*program);
  ASSERT_TRUE(report.has_value() && workload.has_value());
  for (const graph::HeldMemory& held : graph_memory(*program, *report, *workload))
    EXPECT_TRUE(held.segments.empty());
}

}  // namespace
}  // namespace orrery::workload

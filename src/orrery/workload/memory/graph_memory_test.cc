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

/// The number of parts of a role: the embedding, layers, the head.
std::size_t places_of(const Role& role) {
  std::size_t places = 0;
  for (const auto& chunk : role.chunks)
    for (const PartRun& run : chunk) places += run.count;
  return places;
}

// Segments follow each other without a gap, over all nodes. The maximum of each pass, and therefore
// the peak of the step, is that of the account.
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
    const Role& role = program->roles[account.role];
    const std::vector<std::uint64_t> nodes = recipe_node_counts(*program, role);
    const std::vector<Task> tasks = expand_task_loops(role.tasks);
    ASSERT_EQ(tasks.size(), account.samples.size());
    graph::NodeId next = 0;
    Bytes most = mine.constant;
    std::size_t segment = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const graph::NodeId end = next + static_cast<graph::NodeId>(nodes[tasks[i].recipe]);
      Bytes pass{};
      for (; segment < mine.segments.size() && next < end; ++segment) {
        EXPECT_EQ(mine.segments[segment].first, next);
        next = mine.segments[segment].end;
        pass = std::max(pass, mine.segments[segment].bytes);
      }
      EXPECT_EQ(next, end) << "a pass is a number of complete segments";
      EXPECT_EQ(pass, Bytes(account.samples[i].bytes)) << "task " << i;
      most = std::max(most, pass);
    }
    EXPECT_EQ(segment, mine.segments.size());
    EXPECT_EQ(next, workload->graph(rank).size());
    EXPECT_EQ(most, Bytes(account.peak));
    Bytes all{};
    for (const graph::HeldMemory::Tensor& item : mine.at_peak) all += item.bytes;
    EXPECT_EQ(all, most);
  }
}

// Activations are saved layer by layer in the forward pass and released layer by layer in the
// backward pass: between the two passes of one microbatch, memory rises and falls in as many steps
// as the stage has parts.
TEST(HeldMemory, RisesAndFallsLayerByLayer) {
  Spec spec = staged();
  spec.parallel.pp = 1;
  spec.batch.global = 2;  // one microbatch for each replica
  Findings findings;
  const auto program = assemble(spec, findings);
  ASSERT_TRUE(program.has_value());
  const auto workload = to_workload(*program);
  const auto report = account_memory(*program);
  ASSERT_TRUE(workload.has_value() && report.has_value());
  const auto held = graph_memory(*program, *report, *workload);
  const std::vector<graph::HeldMemory::Segment>& segments = held.front().segments;
  const std::size_t places = places_of(program->roles.front());
  ASSERT_EQ(places, 10u) << "the embedding, 8 layers, the head";
  std::size_t rising = 0, falling = 0;
  for (std::size_t i = 1; i + 1 < segments.size(); ++i) {  // the last is the optimizer step
    rising += segments[i].bytes > segments[i - 1].bytes;
    falling += segments[i].bytes < segments[i - 1].bytes;
  }
  EXPECT_GE(rising, 8u);
  EXPECT_GE(falling, 8u);
  const auto top = std::max_element(segments.begin(), segments.end(),
                                    [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  EXPECT_EQ(top->bytes, Bytes(report->roles.front().peak));
  EXPECT_TRUE(std::is_sorted(segments.begin(), top + 1, [](const auto& a, const auto& b) {
    return a.bytes < b.bytes;
  })) << "no layer of the forward pass releases activations";
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

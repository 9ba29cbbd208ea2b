// SPDX-License-Identifier: Apache-2.0
//
// Forward and backward passes that run together.
#include "orrery/workload/assembly/joint_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/workload/program/program.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {
namespace {

using graph::NodeKind;

Spec expert_job(std::int64_t pp, std::int64_t chunks, std::int64_t microbatches) {
  Spec spec;
  spec.model.layers = 4 * pp * chunks;
  spec.model.hidden = 512;
  spec.model.heads = 8;
  spec.model.moe = Moe{.experts = 8, .top_k = 2, .ffn = 256};
  spec.parallel.dp = spec.parallel.ep = 4;
  spec.parallel.pp = pp;
  spec.batch.seq = 128;
  spec.batch.global = 4 * microbatches;
  if (chunks > 1) spec.schedule.kind = ScheduleKind::interleaved;
  spec.schedule.chunks = chunks;
  return spec;
}

Program joint_program(Spec spec, bool joint) {
  spec.parallel.overlap_experts = joint;
  Findings findings;
  auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value()) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

/// The ops of a role by name, layer and microbatch, as often as they run.
std::map<std::string, int> named_nodes(const Program& program, std::uint32_t role) {
  std::map<std::string, int> nodes;
  StringPool pool;
  graph::KernelTable kernels;
  EXPECT_TRUE(unroll(program, role, pool, kernels, [&](const graph::NodeSpec& node) {
    std::string text(pool.view(node.name));
    if (node.kind == NodeKind::send || node.kind == NodeKind::recv)
      text += " tag " + std::to_string(node.message.tag);
    ++nodes[text];
    return Result<void>();
  }));
  return nodes;
}

TEST(JointPasses, RotateLoopsWithoutAnotherOrder) {
  for (const std::uint32_t microbatches : {1u, 2u, 3u, 7u}) {
    for (const std::uint32_t stages : {1u, 2u, 4u}) {
      const auto order = pipeline_order(ScheduleKind::one_f_one_b, stages, microbatches, 1);
      ASSERT_TRUE(order);
      for (std::uint32_t s = 0; s < stages; ++s)
        EXPECT_EQ(expand_loops(with_joint_rounds(order->loops[s])), order->slots(s));
    }
  }
}

// The same work under the same names, with the same tags; only its order differs.
TEST(JointPasses, RunWhatSeparatePassesRun) {
  for (const auto& [pp, chunks, microbatches] :
       {std::tuple{1, 1, 1}, {1, 1, 2}, {1, 1, 5}, {2, 2, 4}, {2, 3, 6}, {4, 2, 8}}) {
    for (const RecomputeKind kind :
         {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full}) {
      Spec spec = expert_job(pp, chunks, microbatches);
      spec.recompute.kind = kind;
      const Program separate = joint_program(spec, false), joint = joint_program(spec, true);
      ASSERT_EQ(separate.roles.size(), joint.roles.size());
      for (std::uint32_t role = 0; role < separate.roles.size(); ++role) {
        EXPECT_EQ(named_nodes(separate, role), named_nodes(joint, role))
            << pp << chunks << microbatches;
        EXPECT_EQ(node_count(separate, role), node_count(joint, role));
      }
    }
  }
}

// Each exchange of a pair of layers has computation of the other pass between its begin and the
// computation that waits for it.
TEST(JointPasses, PutTheOtherPassBehindEachExchange) {
  const Program program = joint_program(expert_job(1, 1, 4), true);
  const Role& role = program.roles.front();
  std::size_t pairs = 0;
  for (const std::vector<Segment>& recipe : role.recipes) {
    const bool joint = std::any_of(recipe.begin(), recipe.end(), [](const Segment& segment) {
      return segment.microbatch_offset != 0;
    });
    if (!joint) continue;
    ++pairs;
    int exchanges = 0, covered = 0;
    std::map<Stream, bool> other_since;  // by stream: the other pass has computed since
    for (const Segment& segment : recipe) {
      const bool backward = segment.microbatch_offset != 0;
      const Stream own = backward ? stream::backward_exchange : stream::ep;
      const Stream others = backward ? stream::ep : stream::backward_exchange;
      for (const Op& op : program.bodies[segment.body].ops) {
        EXPECT_NE(op.stream, others);
        if (op.kind == NodeKind::coll && op.stream == own) {
          ++exchanges;
          other_since[own] = false;
        } else if (op.kind == NodeKind::comp) {
          const bool waits = std::find(op.waits.begin(), op.waits.end(), own) != op.waits.end();
          if (waits && other_since[own]) ++covered;
          other_since[others] = true;
        }
      }
    }
    EXPECT_EQ(exchanges, 4 * 4) << "of four layers, in both passes";
    EXPECT_GE(covered, 4 * 4 - 1);
  }
  EXPECT_EQ(pairs, 1u);
}

TEST(JointPasses, HoldOneMoreMicrobatch) {
  const Program joint = joint_program(expert_job(1, 1, 4), true);
  std::int64_t alive = 0, most = 0;
  for (const Task& task : expand_task_loops(joint.roles.front().tasks)) {
    if (task.kind == TaskKind::forward) most = std::max(most, ++alive);
    if (task.kind == TaskKind::backward) --alive;
  }
  EXPECT_EQ(most, 2);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace orrery::workload

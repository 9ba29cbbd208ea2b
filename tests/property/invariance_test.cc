// SPDX-License-Identifier: Apache-2.0
//
// What a job computes and trains does not depend on how it is cut.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string_view>

#include "draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/step_count.h"
#include "orrery/workload/spec/lora_targets.h"

namespace orrery::property {
namespace {

using namespace workload;

/// Weights over all ranks that hold different ones, tied copies and second pipes apart.
Total distinct_weights(const Program& program, const StepCount& counted,
                       Weights RoleCount::*which) {
  Total sum = 0;
  const Spec& spec = program.spec;
  const auto tp = static_cast<std::uint64_t>(spec.parallel.tp);
  for (const RoleCount& role : counted.roles) {
    if (program.roles[role.role].where.cp > 0 || program.roles[role.role].where.expert > 0)
      continue;
    const std::uint64_t experts =
        static_cast<std::uint64_t>(spec.parallel.ep * spec.parallel.expert_tp());
    const Weights& weights = role.*which;
    sum += static_cast<Total>(weights.dense) * tp + static_cast<Total>(weights.replicated) +
           static_cast<Total>(weights.expert) * experts;
  }
  return sum;
}

/// Dual pipes hold everything twice; a tied table, or one that prediction modules read, lies on the
/// first and on the last stage, unless they are the same rank.
Total expected_weights(const Program& program) {
  const Spec& spec = program.spec;
  const ParameterCount count = count_parameters(spec.model);
  Total sum = static_cast<Total>(count.total) + static_cast<Total>(count_adapters(spec));
  const bool apart = spec.parallel.pp > 1 && spec.schedule.kind != ScheduleKind::zb_v &&
                     spec.schedule.kind != ScheduleKind::dual_pipe;
  const bool copied = spec.model.tied_embeddings || spec.model.mtp_layers > 0;
  if (copied && apart && spec.model.kind != ModelKind::vit)
    sum += static_cast<Total>(spec.model.vocab * spec.model.hidden);
  return spec.schedule.kind == ScheduleKind::dual_pipe ? 2 * sum : sum;
}

/// Of a step of the whole job on one rank, and of those operators of each part that count: how
/// often the part runs times their products.
template <typename Counts>
Total products_of(const Spec& whole, Counts counts) {
  const auto model = lower(whole, Mesh(whole), Position{});
  RC_ASSERT(model.has_value());
  std::int64_t sum = 0;
  for (const PartRun& run : model->order) sum += run.count * counts(model->parts[run.part]);
  return static_cast<Total>(sum) * static_cast<Total>(whole.microbatches());
}

/// Twice forward; less what would go back into pictures, and with adapters what frozen weights'
/// gradients would take, and what goes back into the input.
Total expected_backward(const Spec& spec, const StepCount& counted) {
  Spec whole = on_one_rank(spec);
  whole.lora.reset();
  const Total pictures = products_of(whole, [](const LoweredPart& part) {
    std::int64_t sum = 0;
    for (const Op& op : part.forward)
      if (op.name == std::string_view("patches")) sum += op.matmul;
    return sum;
  });
  const Total all = 2 * counted.flops.forward - pictures;
  if (!spec.lora) return all;
  return all - products_of(whole, [](const LoweredPart& part) {
           std::int64_t frozen = 0;
           for (const Op& op : part.backward)
             if (op.phase == Phase::weight_grad || part.part.name == "embedding")
               frozen += op.matmul - op.repeated_flops;
           return frozen;
         });
}

void check_trained(const Program& program, const StepCount& counted) {
  const Spec& spec = program.spec;
  if (!spec.lora) return;
  const std::int64_t pipes = spec.schedule.kind == ScheduleKind::dual_pipe ? 2 : 1;
  RC_ASSERT(to_string(distinct_weights(program, counted, &RoleCount::trained)) ==
            std::to_string(pipes * count_adapters(spec)));
}

void check_job(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  RC_ASSERT(program.has_value());
  const auto counted = count(*program);
  RC_ASSERT(counted.has_value());
  const auto whole = assemble(on_one_rank(spec), findings);
  RC_ASSERT(whole.has_value());
  const auto all = count(*whole);
  RC_ASSERT(all.has_value());
  // Ranks of an axis of their own hold the same tokens: what is not in experts is done ep times.
  const bool repeated = spec.parallel.ep_own_axis && spec.parallel.ep > 1;
  if (!repeated) RC_ASSERT(counted->flops.forward == all->flops.forward);
  if (!repeated || !spec.lora)
    RC_ASSERT(to_string(counted->flops.backward) == to_string(expected_backward(spec, *counted)));
  check_trained(*program, *counted);
  const Total weights = distinct_weights(*program, *counted, &RoleCount::weights);
  RC_ASSERT(to_string(weights) == to_string(expected_weights(*program)));
  RC_ASSERT(counted->tokens == all->tokens);
}

// 100 × 25 jobs with full effort.
TEST(Invariance, WorkAndWeightsDoNotDependOnThePlan) {
  EXPECT_TRUE(rc::check("sums over ranks", [](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < core_testing::case_count(25, 5); ++i) {
      const Spec spec = draw_legal(random);
      try {
        check_job(spec);
      } catch (...) {
        RC_LOG() << describe(spec);
        throw;
      }
    }
  }));
}

}  // namespace
}  // namespace orrery::property

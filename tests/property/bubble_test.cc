// SPDX-License-Identifier: Apache-2.0
//
// Without communication costs, a simulated schedule wastes exactly what its closed form says.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "draw.h"
#include "orrery/model/compute/roofline.h"
#include "orrery/sim/simulate.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::property {
namespace {

using namespace workload;

/// Leaves of every body one operation per half: layers cost `cost`, everything else nothing.
void set_costs(Program& program, const PassCost& cost) {
  for (Body& body : program.bodies) {
    bool forward = false, input = false, weight = false;
    const bool layer = body.name.rfind("layer", 0) == 0;
    for (Op& op : body.ops) {
      op.matmul = op.vector = op.bytes = op.size = op.repeated_flops = 0;
      if (op.kind != graph::NodeKind::comp || !layer) continue;
      const auto once = [&](bool& done, std::int64_t value) {
        if (!done) op.matmul = value;
        done = true;
      };
      if (op.phase == Phase::forward) once(forward, cost.forward);
      if (op.phase == Phase::input_grad) once(input, cost.input_grad);
      if (op.phase == Phase::weight_grad) once(weight, cost.weight_grad);
    }
  }
}

/// The end of the step in picoseconds; the machine does one operation in each.
std::int64_t simulated_end(const Program& program) {
  const auto job = to_workload(program);
  RC_ASSERT(job.has_value());
  const auto result = sim::simulate(*job, cluster(program.mesh.world(), 1e30, 0));
  RC_ASSERT(result.has_value());
  RC_ASSERT(!result->stall.has_value());
  return result->end.count();
}

/// How long so many operations take there.
std::int64_t time_of(std::int64_t operations) {
  const auto time = model::roofline_time({operations, Bytes{}}, cluster(1, 1e30, 0).device,
                                         platform::Rules::orrery);
  RC_ASSERT(time.has_value());
  return time->count();
}

struct Case {
  ScheduleKind kind;
  std::uint32_t chunks;
};
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ScheduleEntry* schedule : kSchedules)
    for (const std::uint32_t chunks : {1u, 2u, 3u})
      if (allows(schedule->chunks, chunks)) cases.push_back({schedule->kind, chunks});
  return cases;
}

bool both_ways(ScheduleKind kind) {
  return find_schedule(kind)->placement == Placement::bidirectional;
}

Spec job(const Case& which, std::int64_t stages, std::int64_t microbatches) {
  Spec spec;
  // Where pipes go both ways, each of two chunks is a stage of a whole pipe.
  spec.model.layers = stages * (both_ways(which.kind) ? 1 : which.chunks);
  spec.model.hidden = 32;
  spec.model.heads = 4;
  spec.model.vocab = 64;
  spec.model.tied_embeddings = false;
  spec.parallel.pp = stages;
  spec.schedule.kind = which.kind;
  spec.schedule.chunks = which.chunks;
  spec.batch.seq = 16;
  spec.batch.global = microbatches;
  spec.optimizer.gradient_norm = false;
  return spec;
}

TEST(Bubble, EqualsTheClosedForm) {
  EXPECT_TRUE(rc::check("bubble", [](std::uint64_t seed) {
    Random random(seed);
    const std::vector<Case> cases = all_cases();
    const Case& which = cases[random() % cases.size()];
    std::int64_t stages = 2 + static_cast<std::int64_t>(random() % 5);
    const std::int64_t rounds = 2 + static_cast<std::int64_t>(random() % 3);
    if (!check_spec(job(which, stages, stages * rounds))) ++stages;  // some want an even number
    const std::int64_t microbatches = stages * rounds;
    const auto s = static_cast<std::uint32_t>(stages);
    const auto m = static_cast<std::uint32_t>(microbatches);
    // Some closed forms are stated for equal halves only.
    const std::int64_t unit = 1000 + static_cast<std::int64_t>(random() % 1000);
    PassCost cost{unit, unit + 300, unit - 200};
    if (!bubble_formula(which.kind, s, m, which.chunks, cost)) cost = {unit, unit, unit};
    const Spec spec = job(which, stages, microbatches);
    RC_LOG() << describe(spec);
    RC_ASSERT(check_spec(spec).has_value());
    Findings findings;
    auto program = assemble(spec, findings);
    RC_ASSERT(program.has_value());
    set_costs(*program, cost);
    // In picoseconds as the simulator rounds them.
    cost = {time_of(cost.forward), time_of(cost.input_grad), time_of(cost.weight_grad)};
    const auto bubble = bubble_formula(which.kind, s, m, which.chunks, cost);
    RC_ASSERT(bubble.has_value());
    const std::int64_t work = microbatches * (cost.forward + cost.input_grad + cost.weight_grad) *
                              (both_ways(which.kind) ? 1 : which.chunks);
    RC_ASSERT(simulated_end(*program) == work + *bubble);
  }));
}

}  // namespace
}  // namespace orrery::property

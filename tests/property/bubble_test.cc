// SPDX-License-Identifier: Apache-2.0
//
// Without communication costs, a simulated schedule wastes exactly what its closed form says.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "draw.h"
#include "orrery/model/compute/roofline.h"
#include "orrery/sim/simulate.h"
#include "orrery/workload/schedule/schedule.h"

namespace orrery::property {
namespace {

using namespace workload;

/// Leaves of every body one operation per half: layers cost `cost`, everything else nothing.
void set_costs(Program& program, const PassCost& cost) {
  for (Body& body : program.bodies) {
    bool forward = false, input = false, weight = false;
    const bool layer = body.name.rfind("layer", 0) == 0;
    for (Op& op : body.ops) {
      op.matmul = op.vector = op.bytes = op.size = op.redone = 0;
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
constexpr Case kCases[] = {{ScheduleKind::gpipe, 1},       {ScheduleKind::one_f_one_b, 1},
                           {ScheduleKind::interleaved, 2}, {ScheduleKind::interleaved, 3},
                           {ScheduleKind::zb_h1, 1},       {ScheduleKind::zb_v, 2},
                           {ScheduleKind::dual_pipe, 2}};

Spec job(const Case& which, std::int64_t stages, std::int64_t microbatches) {
  Spec spec;
  // Each of dual_pipe's two chunks is a stage of a whole pipe.
  spec.model.layers = stages * (which.kind == ScheduleKind::dual_pipe ? 1 : which.chunks);
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
    const Case& which = kCases[random() % std::size(kCases)];
    const std::int64_t stages = which.kind == ScheduleKind::dual_pipe
                                    ? 2 * (1 + static_cast<std::int64_t>(random() % 3))
                                    : 2 + static_cast<std::int64_t>(random() % 4);
    const std::int64_t microbatches = stages * (2 + static_cast<std::int64_t>(random() % 3));
    // The zero-bubble closed forms are stated for equal halves.
    const std::int64_t unit = 1000 + static_cast<std::int64_t>(random() % 1000);
    const bool split = which.kind != ScheduleKind::gpipe &&
                       which.kind != ScheduleKind::one_f_one_b &&
                       which.kind != ScheduleKind::interleaved;
    PassCost cost{unit, split ? unit : unit + 300, split ? unit : unit - 200};
    const Spec spec = job(which, stages, microbatches);
    RC_LOG() << describe(spec);
    RC_ASSERT(legal(spec).has_value());
    Findings findings;
    auto program = assemble(spec, findings);
    RC_ASSERT(program.has_value());
    set_costs(*program, cost);
    // In picoseconds as the simulator rounds them.
    cost = {time_of(cost.forward), time_of(cost.input_grad), time_of(cost.weight_grad)};
    const auto s = static_cast<std::uint32_t>(stages);
    const auto m = static_cast<std::uint32_t>(microbatches);
    const auto bubble = bubble_formula(which.kind, s, m, which.chunks, cost);
    RC_ASSERT(bubble.has_value());
    const std::int64_t work = microbatches * (cost.forward + cost.input_grad + cost.weight_grad) *
                              (which.kind == ScheduleKind::dual_pipe ? 1 : which.chunks);
    RC_ASSERT(simulated_end(*program) == work + *bubble);
  }));
}

}  // namespace
}  // namespace orrery::property

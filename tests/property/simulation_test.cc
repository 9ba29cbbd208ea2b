// SPDX-License-Identifier: Apache-2.0
//
// Every legal job comes to an end, whatever the network does.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::property {
namespace {

using namespace workload;

void check_ends(const graph::Workload& job, const platform::Platform& machine) {
  const auto result = sim::simulate(job, machine);
  RC_ASSERT(result.has_value());
  RC_ASSERT(!result->stall.has_value());
  RC_ASSERT(result->findings.count(FindingCode::unmatched_send) == 0u);
  for (const sim::RankResult& rank : result->ranks) RC_ASSERT(rank.finish.has_value());
}

void check_simulated(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  RC_ASSERT(program.has_value());
  const auto job = to_workload(*program);
  RC_ASSERT(job.has_value());
  platform::Platform machine = cluster(program->mesh.world(), 1e9, 500);
  check_ends(*job, machine);
  machine.collectives.rendezvous = true;  // nothing leaves before its receiver is there
  check_ends(*job, machine);
}

// 100 × 20 jobs with full effort, each with and without rendezvous; a quarter of them block on
// their sends.
TEST(Simulation, EveryJobEnds) {
  EXPECT_TRUE(rc::check("no rank waits for ever", [](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < core_testing::case_count(20, 4); ++i) {
      const Spec spec = draw_legal(random, 12);
      RC_LOG() << describe(spec);
      check_simulated(spec);
    }
  }));
}

// ASTRA-sim's rules have one communication at a time per rank; with communication and computation
// taking turns the order is the same everywhere.
TEST(Simulation, JobsWithoutOverlapEndUnderAstraRules) {
  EXPECT_TRUE(rc::check("one slot", [](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < core_testing::case_count(5, 2); ++i) {
      Spec spec = draw_legal(random, 8);
      spec.schedule.overlap = false;
      RC_LOG() << describe(spec);
      Findings findings;
      const auto program = assemble(spec, findings);
      RC_ASSERT(program.has_value());
      const auto job = to_workload(*program);
      RC_ASSERT(job.has_value());
      platform::Platform machine = cluster(program->mesh.world(), 1e9, 500);
      machine.rules = platform::Rules::astra;
      check_ends(*job, machine);
    }
  }));
}

}  // namespace
}  // namespace orrery::property

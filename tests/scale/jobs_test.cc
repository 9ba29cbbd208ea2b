// SPDX-License-Identifier: Apache-2.0
//
// Training jobs: what is saved cannot be seen in the result.
#include <gtest/gtest.h>

#include "../property/draw.h"
#include "machines.h"
#include "orrery/workload/program.h"
#include "ways.h"

namespace orrery::scale {
namespace {

using namespace workload;

// The job's own cluster, cut into dimensions and run by collectives as others are.
platform::Platform draw_cluster(Draw& draw, std::uint64_t ranks) {
  platform::Platform machine = property::cluster(ranks, draw.of({1e9, 3e9}), draw.of({0.0, 500.0}));
  const platform::Platform other = draw_machine(draw);
  for (auto* plan : {&machine.collectives.all_reduce, &machine.collectives.all_gather,
                     &machine.collectives.reduce_scatter})
    plan->per_dim[0].algorithm = draw.of({platform::Algorithm::ring, platform::Algorithm::direct});
  if (ranks % 2 == 0 && draw.one_in(2)) {
    platform::Dimension inner = machine.dims[0];
    inner.size = 2;
    inner.bandwidth = Bandwidth(inner.bandwidth.count() * 4);
    machine.dims[0].size /= 2;
    machine.dims.insert(machine.dims.begin(), inner);
    for (auto* plan : {&machine.collectives.all_reduce, &machine.collectives.all_gather,
                       &machine.collectives.reduce_scatter, &machine.collectives.all_to_all})
      plan->per_dim.push_back(plan->per_dim[0]);
  }
  machine.collectives.policy = other.collectives.policy;
  machine.collectives.splits = draw.of<std::int64_t>({1, 1, 2, 4});
  machine.collectives.active_chunks = other.collectives.active_chunks;
  machine.collectives.queues_per_dim = other.collectives.queues_per_dim;
  machine.collectives.inter_dimension = other.collectives.inter_dimension;
  machine.collectives.intra_dimension = other.collectives.intra_dimension;
  machine.collectives.endpoint_delay = other.collectives.endpoint_delay;
  machine.collectives.rendezvous = draw.one_in(8);
  if (draw.one_in(4)) draw_deviations(draw, machine, static_cast<std::uint32_t>(ranks));
  return machine;
}

TEST(Scale, JobsComeToTheSame) {
  constexpr std::uint64_t kJobs = 150;
  Tally tally;
  for (std::uint64_t seed = 1; seed <= kJobs; ++seed) {
    property::Random random(seed);
    const Spec spec = property::draw_legal(random, 16);
    const auto program = assemble(spec);
    ASSERT_TRUE(program);
    const auto job = to_workload(*program);
    ASSERT_TRUE(job);
    Draw draw(seed);
    const platform::Platform machine = draw_cluster(draw, program->mesh.world());
    EXPECT_EQ(compare(*job, machine, all_ways(), tally), "") << "seed " << seed << '\n'
                                                             << property::describe(spec);
  }
  print("jobs", tally);
  EXPECT_EQ(tally.refused, 0u);
  EXPECT_EQ(tally.stalled, 0u);
  EXPECT_GT(tally.folded, kJobs / 3);
  EXPECT_GT(tally.worked_out, kJobs / 2);
}

}  // namespace
}  // namespace orrery::scale

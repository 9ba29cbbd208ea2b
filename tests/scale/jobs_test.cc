// SPDX-License-Identifier: Apache-2.0
//
// Training jobs: what is saved cannot be seen in the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "../property/draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "orrery/workload/program/program.h"
#include "random_platforms.h"
#include "run_modes.h"
#include "simulation_options.h"

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
  const std::uint64_t jobs = core_testing::case_count(150u, 40u);
  Tally tally;
  for (std::uint64_t seed = 1; seed <= jobs; ++seed) {
    property::Random random(seed);
    const Spec spec = property::draw_legal(random, 16);
    Findings findings;
    const auto program = assemble(spec, findings);
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
  EXPECT_GT(tally.folded, jobs / 3);
  EXPECT_GT(tally.worked_out, jobs / 2);
  EXPECT_GT(tally.skipping, jobs / 20);
}

// Pipelines and rings of context parallelism send messages beside collectives, and all of them meet
// on ports and links: every pair of fabric, schedule and plan.
TEST(Scale, JobsWhoseMessagesShareLinksComeToTheSame) {
  const std::uint64_t jobs = core_testing::case_count(400u, 80u);
  const std::vector<Way> ways = {{}, {true, true, true, 1}};
  Tally tally;
  std::uint64_t rings = 0;
  for (std::uint64_t seed = 1; seed <= jobs; ++seed) {
    property::Random random(seed);
    Spec spec = property::draw_legal(random, 16);
    Draw draw(seed);
    if (draw.one_in(2)) {  // plans that are drawn rarely: pipeline and ring together
      spec.parallel.cp = 2;
      spec.parallel.cp_method = ContextMethod::ring;
      if (spec.parallel.pp == 1) spec.parallel.pp = spec.model.layers % 2 == 0 ? 2 : 1;
      if (!check_spec(spec) || spec.parallel.world() > 32) continue;
      rings += spec.parallel.pp > 1 ? 1 : 0;
    }
    Findings findings;
    const auto program = assemble(spec, findings);
    ASSERT_TRUE(program);
    const auto job = to_workload(*program);
    ASSERT_TRUE(job);
    Case drawn{draw_cluster(draw, program->mesh.world()), *job};
    if (draw.one_in(2)) put_upon(Mode::fabric, draw, drawn);
    put_upon(Mode::flow, draw, drawn);
    EXPECT_EQ(compare(drawn.workload, drawn.platform, ways, tally), "") << "seed " << seed << '\n'
                                                                        << property::describe(spec);
  }
  print("jobs whose messages share links", tally);
  EXPECT_EQ(tally.stalled, 0u);
  EXPECT_GT(tally.folded, jobs / 4);
  EXPECT_GT(rings, jobs / 20);
}

// As many kinds of parallelism as the job has, on at most 32 ranks.
Spec scaled_down(Spec spec) {
  Parallel& plan = spec.parallel;
  plan.tp = std::min<std::int64_t>(plan.tp, 2);
  plan.pp = std::min<std::int64_t>(plan.pp, 4);
  plan.dp = std::min<std::int64_t>(plan.dp, 4);
  plan.ep = std::min<std::int64_t>(plan.ep, 4);
  spec.schedule.stage_layers.clear();
  spec.schedule.chunks = std::min<std::int64_t>(spec.schedule.chunks, 2);
  if (spec.model.layers > 16) spec.model.layers = 16;
  spec.batch.global = spec.batch.micro * plan.dp * 8;
  return spec;
}

TEST(Scale, TheExamplesComeToTheSame) {
  Tally tally;
  for (const auto& file : std::filesystem::directory_iterator(
           std::string(core_testing::kSourceFolder) + "/examples/workloads")) {
    std::ifstream in(file.path());
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto spec = parse_spec(text, file.path().string());
    ASSERT_TRUE(spec) << to_string(spec.error());
    Findings findings;
    const auto program = assemble(scaled_down(*spec), findings);
    ASSERT_TRUE(program) << to_string(program.error());
    const auto job = to_workload(*program);
    ASSERT_TRUE(job);
    EXPECT_EQ(compare(*job, property::cluster(program->mesh.world(), 1e10, 500), all_ways(), tally),
              "")
        << file.path();
  }
  print("examples", tally);
  EXPECT_EQ(tally.refused + tally.stalled, 0u);
  EXPECT_GE(tally.folded + 1, tally.cases);  // the tables of DLRM are different on every rank
  EXPECT_EQ(tally.worked_out, tally.cases);
}

}  // namespace
}  // namespace orrery::scale

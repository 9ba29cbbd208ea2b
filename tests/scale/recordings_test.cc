// SPDX-License-Identifier: Apache-2.0
//
// A run file is the same, byte for byte, whether one rank of each class was recorded or every rank,
// and whether repeated iterations were simulated or skipped. It contains all spans and names, also
// those that it stores once with their count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../property/draw.h"
#include "compared_recordings.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/workload/program/program.h"
#include "random_case.h"
#include "random_platforms.h"
#include "run_modes.h"

namespace orrery::scale {
namespace {

TEST(Recordings, OfJobsAreTheSameFolded) {
  const Seeds seeds(500, 60);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    property::Random random(seed);
    const workload::Spec spec = property::draw_legal(random, 16);
    Findings findings;
    const auto program = workload::assemble(spec, findings);
    ASSERT_TRUE(program);
    const auto job = workload::to_workload(*program);
    ASSERT_TRUE(job);
    Draw draw(seed);
    Case drawn{property::cluster(program->mesh.world(), draw.of({1e9, 3e9}), 500), *job};
    drawn.platform.collectives.splits = draw.of<std::int64_t>({1, 2, 4});
    drawn.platform.collectives.rendezvous = draw.one_in(6);
    if (draw.one_in(4))
      draw_deviations(draw, drawn.platform, static_cast<std::uint32_t>(program->mesh.world()));
    compare_recordings(drawn, seed, fmt::format("seed {}\n{}", seed, property::describe(spec)),
                       counts);
  }
  fmt::print("recordings of jobs: {} compared, {} folded, {} with skipped iterations\n",
             counts.compared, counts.folded, counts.skipping);
  seeds.expect_more(counts.folded, seeds.count / 3);
}

// Any workload and machine, and a mode; under both sets of rules.
TEST(Recordings, OfRandomCasesAreTheSameFolded) {
  const Seeds seeds(600, 120);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    for (const platform::Rules rules : {platform::Rules::orrery, platform::Rules::astra}) {
      Case drawn = draw_case(seed);
      drawn.platform.rules = rules;
      Draw draw(seed);
      const auto mode = static_cast<Mode>(seed % kModes);
      // Networks of other types cannot be named in a run.
      if (mode != Mode::table && mode != Mode::fluid) put_upon(mode, draw, drawn);
      compare_recordings(drawn, seed, fmt::format("seed {}, {}", seed, name(mode)), counts);
    }
  }
  fmt::print("recordings: {} compared, {} folded, {} with skipped iterations\n", counts.compared,
             counts.folded, counts.skipping);
  seeds.expect_more(counts.folded, seeds.count / 6);
}

// Under both sets of rules; broadcasts are rare in random cases.
TEST(Recordings, OfBroadcastsAreTheSameFolded) {
  sim::testing::Rank rank;
  rank.coll(graph::CollectiveType::broadcast, 1 << 20);
  rank.coll(graph::CollectiveType::all_reduce, 1 << 16);
  for (const platform::Rules rules : {platform::Rules::orrery, platform::Rules::astra}) {
    Case drawn{property::cluster(8, 1e9, 500), sim::testing::replicated(rank, 8)};
    drawn.platform.rules = rules;
    RecordingCounts counts;
    compare_recordings(drawn, 0, "broadcast", counts);
    EXPECT_EQ(counts.folded, 1u);
  }
}

// The traffic of memories counts the accesses of all represented ranks.
TEST(Recordings, OfSharedMemoryAreTheSameFolded) {
  const Seeds seeds(300, 50);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed);
    drawn.platform.rules = platform::Rules::orrery;
    Draw draw(seed);
    put_upon(Mode::pool, draw, drawn);
    compare_recordings(drawn, seed, fmt::format("seed {}", seed), counts);
  }
  fmt::print("recordings with shared memory: {} compared, {} folded\n", counts.compared,
             counts.folded);
  seeds.expect_more(counts.folded, seeds.count / 6);
}

// The number of representatives that a run names, should it record nothing, is the one that it has.
TEST(Recordings, NameTheRanksThatSufficeWithoutThem) {
  const Seeds seeds(2000, 200);
  std::uint64_t named = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    drawn.platform.rules = draw.of({platform::Rules::orrery, platform::Rules::astra});
    put_upon(Mode::links, draw, drawn);
    if (draw.one_in(2)) put_upon(Mode::replay, draw, drawn);
    sim::Options options;
    options.fold = options.record = true;
    const auto recorded = sim::simulate(drawn.workload, drawn.platform, options);
    options.record = false;
    const auto plain = sim::simulate(drawn.workload, drawn.platform, options);
    if (!recorded || !plain || recorded->savings.unrecorded_representatives == 0) continue;
    ++named;
    EXPECT_EQ(recorded->savings.unrecorded_representatives, plain->savings.representatives)
        << "seed " << seed;
  }
  seeds.expect_more(named, seeds.count / 20);
}

// A machine on which iterations can be skipped.
void make_repeatable(platform::Platform& machine) {
  machine.network = platform::NetworkModelKind::analytical;
  machine.remote_memory = {};
  if (machine.device.memory.count() == 0) machine.device.memory = Bandwidth(1e9);
  machine.collectives.rendezvous = false;
  if (is_themis(machine.collectives.inter_dimension))
    machine.collectives.inter_dimension = platform::InterDimension::ascending;
}

// Loops, of which a simulation skips most rounds.
TEST(Recordings, OfLoopsAreTheSameSkipped) {
  const Seeds seeds(600, 60);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed, true);
    make_repeatable(drawn.platform);
    Draw draw(seed);
    const Mode mode = draw.of({Mode::bus, Mode::late, Mode::trees, Mode::direct, Mode::rotation,
                               Mode::alternate, Mode::library, Mode::beside});
    put_upon(mode, draw, drawn);
    compare_recordings(drawn, seed, fmt::format("loop, seed {}, {}", seed, name(mode)), counts);
  }
  fmt::print("recordings of loops: {} compared, {} folded, {} with skipped iterations\n",
             counts.compared, counts.folded, counts.skipping);
  seeds.expect_more(counts.skipping, seeds.count / 20);
}

}  // namespace
}  // namespace orrery::scale

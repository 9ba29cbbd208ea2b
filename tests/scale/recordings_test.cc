// SPDX-License-Identifier: Apache-2.0
//
// A run file is the same, byte for byte, whether one rank of each class was recorded or every rank,
// and whether repeated iterations were simulated or skipped.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "../property/draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/record/make_run.h"
#include "orrery/result/run_file.h"
#include "orrery/workload/program/program.h"
#include "random_case.h"
#include "random_platforms.h"
#include "run_modes.h"

namespace orrery::scale {
namespace {

/// The bytes of the run file, and how many ranks were simulated. Empty: the case is refused.
struct Recorded {
  std::string bytes;
  std::uint32_t representatives = 0;
  std::uint64_t skipped = 0;
  bool stalled = false;
};

Recorded record_case(const Case& drawn, bool fold, bool skip) {
  sim::Options options;
  options.record = true;
  options.fold = fold;
  options.skip_repeats = skip;
  const auto result = sim::simulate(drawn.workload, drawn.platform, options);
  if (!result) return {};
  result::Run run = record::make_run(drawn.workload, drawn.platform, *result);
  run.events = 0;   // of the simulator, not of the machine
  Findings counts;  // their places can be those of representatives only
  for (const Finding& finding : run.findings.list()) counts.add(finding.code, {}, finding.count);
  run.findings = counts;
  const std::string path = (std::filesystem::path(::testing::TempDir()) /
                            fmt::format("recorded-{:d}-{:d}.orrery", fold, skip))
                               .string();
  const auto written = result::write_run(run, path, true);
  EXPECT_TRUE(written.has_value());
  EXPECT_TRUE(result::read_run(path).has_value()) << path;
  std::ifstream in(path, std::ios::binary);
  return {std::string(std::istreambuf_iterator<char>(in), {}), result->savings.representatives,
          result->savings.iterations_skipped, result->stall.has_value()};
}

struct Counts {
  std::uint64_t compared = 0, folded = 0, skipping = 0;
};

// Without and with both shortcuts, and with one of them.
void compare_recordings(const Case& drawn, std::uint64_t seed, const std::string& about,
                        Counts& counts) {
  const Recorded all = record_case(drawn, false, false);
  const Recorded folded = record_case(drawn, true, true);
  const Recorded one = record_case(drawn, seed % 2 == 0, seed % 2 != 0);
  EXPECT_TRUE(folded.bytes == all.bytes) << "folded and skipped, " << about;
  EXPECT_TRUE(one.bytes == all.bytes) << (seed % 2 == 0 ? "folded, " : "skipped, ") << about;
  if (all.bytes.empty() || all.stalled) return;
  ++counts.compared;
  if (folded.representatives < drawn.workload.rank_count()) ++counts.folded;
  if (folded.skipped + one.skipped > 0) ++counts.skipping;
}

TEST(Recordings, OfJobsAreTheSameFolded) {
  const std::uint64_t jobs = core_testing::case_count(500u, 60u);
  Counts counts;
  for (std::uint64_t seed = 1; seed <= jobs; ++seed) {
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
  EXPECT_GT(counts.folded, jobs / 3);
}

// Any workload and machine, and a mode; under both sets of rules.
TEST(Recordings, OfRandomCasesAreTheSameFolded) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 600, 120);
  Counts counts;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
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
  EXPECT_GT(counts.folded, cases / 6);
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
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 600, 60);
  Counts counts;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
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
  EXPECT_GT(counts.skipping, cases / 20);
}

}  // namespace
}  // namespace orrery::scale

// SPDX-License-Identifier: Apache-2.0
//
// Two jobs on one machine, anyhow among each other: what is saved cannot be seen in the result, and
// where nobody is in anybody's way, each takes what it takes alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "orrery/graph/transform/merge_jobs.h"
#include "random_case.h"
#include "run_modes.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

/// A machine, and two jobs on some of its ranks each.
struct TwoJobs {
  Case drawn;
  std::array<graph::Workload, 2> work;
  std::array<graph::JobPart, 2> jobs;
};

/// Ranks of the two: side by side, by turns, or anyhow.
std::vector<std::uint32_t> draw_order(Draw& draw, std::uint32_t ranks) {
  std::vector<std::uint32_t> order(ranks);
  std::iota(order.begin(), order.end(), 0u);
  if (draw.one_in(3)) draw.shuffle(order);
  if (draw.one_in(2)) {
    std::stable_sort(order.begin(), order.end(),
                     [](std::uint32_t a, std::uint32_t b) { return a % 2 < b % 2; });
  }
  return order;
}

void draw_two(std::uint64_t seed, TwoJobs& made) {
  Draw draw(seed);
  do {
    made.drawn.platform = draw_machine(draw);
  } while (made.drawn.platform.npu_count() < 4);
  made.drawn.platform.rules = platform::Rules::orrery;
  const auto ranks = static_cast<std::uint32_t>(made.drawn.platform.npu_count());
  const std::vector<std::uint32_t> order = draw_order(draw, ranks);
  const std::uint32_t half =
      draw.one_in(2) ? ranks / 2 : 2 + static_cast<std::uint32_t>(draw.below(ranks - 3));
  const std::uint32_t spare = ranks - half > 2 && draw.one_in(3) ? 1 : 0;
  const std::array<std::uint32_t, 3> ends{0, half, ranks - spare};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto count = ends[i + 1] - ends[i];
    made.work[i] = draw.one_in(2) ? draw_axes(draw, count) : draw_lift(draw, count);
    graph::JobPart& job = made.jobs[i];
    job.name = i == 0 ? "one" : "other";
    job.workload = &made.work[i];
    job.ranks.assign(order.begin() + ends[i], order.begin() + ends[i + 1]);
    std::sort(job.ranks.begin(), job.ranks.end());
    job.start = draw.of({Time{}, Time{}, us(3)});
    job.steps = draw.of({1u, 1u, 2u, 3u});
  }
}

/// The jobs at once. Empty: collectives ask for dimensions of the machine, which jobs have not.
bool put_together(TwoJobs& two) {
  Findings findings;
  auto made = graph::merge_jobs(
      two.jobs, static_cast<std::uint32_t>(two.drawn.platform.npu_count()), findings);
  if (!made) {
    EXPECT_EQ(made.error().code, Errc::input_unsupported) << made.error().what;
    return false;
  }
  two.drawn.workload = *std::move(made);
  return true;
}

TEST(TogetherPairs, OfModesComeToTheSame) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 24 * kModes, 6 * kModes);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    TwoJobs two;
    draw_two(seed, two);
    if (!put_together(two)) continue;
    Draw draw(seed);
    const auto mode = static_cast<Mode>(seed % kModes);
    put_upon(mode, draw, two.drawn);
    EXPECT_EQ(compare(two.drawn.workload, two.drawn.platform, all_ways(), tally, two.drawn.network),
              "")
        << "seed " << seed << ": two jobs and " << name(mode);
  }
  print("two jobs", tally);
  if (tally.cases < 60) return;
  EXPECT_GT(tally.folded, tally.cases / 10);
  EXPECT_LT(tally.stalled, tally.cases / 20);
}

// Networks without congestion, no memory that ranks share.
TEST(TogetherPairs, WithoutCongestionEachTakesWhatItTakesAlone) {
  std::uint64_t compared = 0;
  const std::uint64_t cases = core_testing::case_count(300u, 75u);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    TwoJobs two;
    draw_two(seed, two);
    two.drawn.platform.network = platform::NetworkModelKind::analytical;
    two.drawn.platform.remote_memory = {};
    if (!put_together(two)) continue;
    const auto all = sim::simulate(two.drawn.workload, two.drawn.platform);
    // Ranks that wait for each other in a circle are helped when nothing else happens anywhere.
    if (!all || all->findings.count(FindingCode::chunk_order_resolved) > 0) continue;
    for (const graph::JobPart& job : two.jobs) {
      Findings findings;
      const auto by_itself =
          graph::merge_jobs({&job, 1}, two.drawn.workload.rank_count(), findings);
      ASSERT_TRUE(by_itself);
      const auto alone = sim::simulate(*by_itself, two.drawn.platform);
      ASSERT_TRUE(alone) << alone.error().what;
      for (const std::uint32_t rank : job.ranks)
        ASSERT_EQ(all->ranks[rank], alone->ranks[rank])
            << "seed " << seed << ", job " << job.name << ", rank " << rank;
      ++compared;
    }
  }
  EXPECT_GT(compared, cases * 2 / 3);
}

// A job that has the whole machine is as if nobody had spoken of jobs.
TEST(TogetherPairs, AJobOfAllRanksIsTheWorkloadItself) {
  std::uint64_t compared = 0;
  const std::uint64_t cases = core_testing::case_count(200u, 50u);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Case drawn = draw_case(seed);
    drawn.platform.rules = platform::Rules::orrery;
    graph::JobPart job{"all", &drawn.workload, {}};
    job.ranks.resize(drawn.workload.rank_count());
    std::iota(job.ranks.begin(), job.ranks.end(), 0u);
    Findings findings;
    const auto made = graph::merge_jobs({&job, 1}, drawn.workload.rank_count(), findings);
    if (!made) continue;
    const auto one = sim::simulate(drawn.workload, drawn.platform);
    const auto other = sim::simulate(*made, drawn.platform);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) continue;
    ASSERT_EQ(one->end, other->end) << "seed " << seed;
    for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
      ASSERT_EQ(one->ranks[rank], other->ranks[rank]) << "seed " << seed << ", rank " << rank;
    ++compared;
  }
  EXPECT_GT(compared, cases / 2);
}

}  // namespace
}  // namespace orrery::scale

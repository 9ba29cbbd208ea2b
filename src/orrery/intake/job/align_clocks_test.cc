// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/intake/job/job_testing.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using ::testing::ElementsAre;

/// Collectives of all ranks that end at 100, 300, 500 … µs, give or take a few, on each rank's own
/// clock, which is `skew` µs ahead.
std::vector<RankMaker> skewed(const std::vector<std::int64_t>& skew, int comms = 9) {
  std::vector<RankMaker> out;
  const auto world = static_cast<std::uint32_t>(skew.size());
  for (std::uint32_t r = 0; r < world; ++r) {
    out.emplace_back(r, world);
    const auto group = out.back().group("0", {});
    out.back().comms.sizes[group] = static_cast<std::int32_t>(world);
    for (int i = 0; i < comms; ++i) {
      const std::int64_t end = 100 + 200 * i + (i * 7 + r * 5) % 4 + skew[r];
      out.back().use(CommKind::all_reduce, 8, end - 20 - 10 * r, end, group);
    }
  }
  return out;
}

TEST(JobClock, OneHostHasOneClock) {
  const Job job = united(skewed({0, 3, -4}));
  EXPECT_THAT(job.clock_offset, ElementsAre(Time{}, Time{}, Time{}));
  EXPECT_EQ(job.findings.count(FindingCode::clock_aligned), 0u);
}

TEST(JobClock, ClocksOfSeveralHosts) {
  const Job job = united(skewed({0, 5000, -80, 5001}));
  ASSERT_EQ(job.clock_offset.size(), 4u);
  EXPECT_EQ(job.clock_offset[0], Time{});
  EXPECT_NEAR(static_cast<double>(job.clock_offset[1].count()), -5000e6, 4e6);
  EXPECT_NEAR(static_cast<double>(job.clock_offset[2].count()), 80e6, 4e6);
  EXPECT_NEAR(static_cast<double>(job.clock_offset[3].count()), -5001e6, 4e6);
  EXPECT_EQ(job.findings.count(FindingCode::clock_aligned), 3u);
  EXPECT_THAT(job.findings.list()[0].places[0], ::testing::StartsWith("rank 1 (r1.json): -"));
}

TEST(JobClock, OriginsAreNoDifference) {
  auto ranks = skewed({0, -1'000'000});
  ranks[0].comms.origin_ns = 1'694'128'201'000'000'000;
  ranks[1].comms.origin_ns = 1'694'128'202'000'000'000;  // began a second later
  const Job job = united(ranks);
  EXPECT_THAT(job.clock_offset, ElementsAre(Time{}, Time{}));
  EXPECT_THAT(job.common_origin, ElementsAre(Time{}, us(1'000'000)));
}

TEST(JobClock, OnlyCollectivesRelateClocks) {
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 4; ++r) {
    ranks.emplace_back(r, 4);
    const std::uint32_t first = r / 2 * 2;  // two groups without a common rank
    const auto group = ranks[r].group("g" + std::to_string(first), {first, first + 1});
    for (int i = 0; i < 5; ++i)
      ranks[r].use(CommKind::all_gather, 8, 100 * (i + 1) + 70 * r, 100 * (i + 1) + 70 * r + 10,
                   group);
  }
  const Job job = united(ranks);
  EXPECT_THAT(job.clock_root, ElementsAre(0u, 0u, 2u, 2u));
  EXPECT_EQ(job.common_origin[1], us(-70));
}

TEST(JobClock, OverGroupsThatOverlap) {
  std::vector<RankMaker> ranks;
  const std::int64_t skew[] = {0, 1000, 3000};
  for (std::uint32_t r = 0; r < 3; ++r) ranks.emplace_back(r, 3);
  for (std::uint32_t left = 0; left < 2; ++left) {
    for (std::uint32_t r = left; r < left + 2; ++r) {
      const auto group = ranks[r].group("g" + std::to_string(left), {left, left + 1});
      for (int i = 0; i < 5; ++i) {
        const std::int64_t end = 100 * (i + 1) + 50 * left + skew[r];
        ranks[r].use(CommKind::all_gather, 8, end - 10, end, group);
      }
    }
  }
  const Job job = united(ranks);
  EXPECT_THAT(job.clock_offset, ElementsAre(Time{}, us(-1000), us(-3000)));
  EXPECT_THAT(job.clock_root, ElementsAre(0u, 0u, 0u));
}

TEST(JobClock, FewCollectivesMustContradict) {
  // With one collective only, a later end may be real; not being together at all may not.
  EXPECT_THAT(united(skewed({0, 15}, 1)).clock_offset, ElementsAre(Time{}, Time{}));
  const Job job = united(skewed({0, 900}, 1));
  EXPECT_NEAR(static_cast<double>(job.clock_offset[1].count()), -900e6, 4e6);
}

TEST(JobClock, ScatteredEndsSayNothing) {
  auto ranks = skewed({0, 0});
  for (std::size_t i = 0; i < ranks[1].comms.uses.size(); ++i)
    ranks[1].comms.uses[i].end = us(100 + 200 * static_cast<std::int64_t>(i) + (i % 3) * 60);
  EXPECT_THAT(united(ranks).clock_offset, ElementsAre(Time{}, Time{}));
}

TEST(JobClock, OriginsOfNoKnownTime) {
  auto ranks = skewed({0, 0});
  ranks[1].comms.origin_ns = 1'694'128'201'000'000'000;
  EXPECT_EQ(united(ranks).clock_offset.size(), 2u);
}

}  // namespace
}  // namespace orrery::intake

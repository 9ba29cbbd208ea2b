// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/simulate_all.h"

#include <gtest/gtest.h>

#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

TEST(SimulateAll, IsTheSameAsOneAfterAnother) {
  testing::Rank rank;
  rank.coll(graph::CollectiveType::all_reduce, 8000, {rank.comp(us(3))});
  const graph::Workload work = testing::replicated(rank, 8);
  std::vector<platform::Platform> platforms;
  for (int i = 0; i < 20; ++i) {
    platforms.push_back(testing::line(platform::Block::ring, i == 7 ? 9 : 8));  // 9: refused
    platforms.back().dims[0].latency_ns = 100.0 * i;
  }
  std::vector<SimulationJob> jobs;
  for (const platform::Platform& platform : platforms) jobs.push_back({&work, &platform, {}});
  for (const std::uint32_t threads : {1u, 3u, 64u}) {
    const auto results = simulate_all(jobs, threads);
    ASSERT_EQ(results.size(), jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto alone = simulate(work, platforms[i]);
      ASSERT_EQ(alone.has_value(), results[i].has_value());
      EXPECT_EQ(alone.has_value(), i != 7);
      if (alone) {
        EXPECT_EQ(first_difference(*alone, *results[i]).value_or(""), "");
      }
    }
  }
  EXPECT_TRUE(simulate_all({}, 4).empty());
}

}  // namespace
}  // namespace orrery::sim

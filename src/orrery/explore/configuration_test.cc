// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluation/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/explore/exploration_testing.h"

namespace orrery::explore {
namespace {

std::vector<Configuration> configurations(const SearchSpace& space, const ExplorationResult& found,
                                          std::uint32_t threads) {
  std::vector<std::uint64_t> numbers;
  for (const std::size_t i : found.best) numbers.push_back(found.points[i].number);
  std::vector<Configuration> all;
  const auto done = each_configuration(space, numbers, threads,
                                       [&](Configuration one) { all.push_back(std::move(one)); });
  EXPECT_TRUE(done) << to_string(done.error());
  return all;
}

// The job that is pasted takes what the point takes: once, it lacked the recomputation that a space
// tries until a plan fits, so that another step came out, or none that fits.
TEST(Configuration, OfAPointTakesItsStep) {
  std::string text = small_space("recompute: [none, full]\n");
  text.replace(text.find("2 GB}"), 5, "1 GB}");
  const auto space = space_of(text);
  ExploreOptions options;
  options.evaluation = Evaluation::estimate;
  const auto found = explored(space, options);
  const auto all = configurations(space, found, 2);
  ASSERT_EQ(all.size(), found.best.size());
  SearchSpace as_pasted = space;
  as_pasted.recompute.clear();
  Evaluator evaluator(as_pasted);
  int full = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PointPrediction wanted = found.points[found.best[i]].predicted();
    const PointPrediction predicted =
        evaluator.predict({all[i].cluster, all[i].job}, Evaluation::estimate);
    EXPECT_EQ(predicted.step, wanted.step) << all[i].job.dump();
    EXPECT_EQ(predicted.plan, wanted.plan);
    full += all[i].job["recompute"]["kind"] == "full" ? 1 : 0;
    EXPECT_THAT(all[i].megatron.text(), testing::HasSubstr("--num-layers 8 \\\n"));
  }
  EXPECT_GT(full, 0);
  EXPECT_LT(full, static_cast<int>(all.size()));
}

TEST(Configuration, NamesClustersAsRunTakesThem) {
  std::string text = small_space();
  text.replace(text.find("cluster:"), text.find("axes:") - text.find("cluster:"),
               "cluster: \"h100-sxm:{n}\"\n");
  text += "  - {name: n, values: [16]}\n";
  text.replace(text.find("  - {name: nic"),
               text.find("\n", text.find("name: nic")) - text.find("  - {name: nic") + 1, "");
  const auto space = space_of(text);
  ExploreOptions options;
  options.evaluation = Evaluation::estimate;
  const auto all = configurations(space, explored(space, options), 1);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().named, "h100-sxm:16");
  EXPECT_TRUE(all.front().cluster.is_null());
  EXPECT_FALSE(all.front().job.contains("recompute"));
  EXPECT_EQ(named_cluster("big.yaml", "spaces/wide.yaml"), "spaces/big.yaml");
}

TEST(Configuration, OfWhatDoesNotFitIsAnError) {
  const auto space = space_of(small_space());
  Evaluator evaluator(space);
  const auto wrong = configuration_of(space, space.number({3, 3, 0, 0, 0}), evaluator);
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace orrery::explore

// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/cluster_search.h"

#include <gtest/gtest.h>

namespace orrery::explore {
namespace {

ClusterQuestion three_clusters() {
  ClusterQuestion asked;
  asked.plans.job.model = "llama-3-8b";
  asked.plans.job.seq = "2048";
  asked.plans.job.tp = "4,8";
  asked.plans.job.micro_batch = "1";
  asked.plans.evaluation = Evaluation::estimate;
  asked.clusters = {"h100-sxm:8", "a100-80gb:8", "h100-sxm:16"};
  return asked;
}

TEST(ClusterSearch, TheFrontIsWhatNobodyBeats) {
  const auto found = search_clusters(three_clusters());
  ASSERT_TRUE(found) << to_string(found.error());
  ASSERT_EQ(found->size(), 3u);
  const ClusterAnswer &h100 = (*found)[0], &a100 = (*found)[1], &more = (*found)[2];
  // All train on as much in a step: what the largest has by default.
  for (const ClusterAnswer& one : *found) EXPECT_EQ(one.search.samples, 16 * 8);
  EXPECT_TRUE(h100.front);   // cheaper than the larger one
  EXPECT_TRUE(more.front);   // the quickest
  EXPECT_FALSE(a100.front);  // as dear as the other eight, and slower
  const double seconds = static_cast<double>(h100.search.best.front().step().count()) * 1e-12;
  EXPECT_NEAR(h100.cost(), seconds / 3600 * 8, 1e-12);
  EXPECT_NEAR(h100.rate(), 16 * 8 * 2048 / seconds, 1e-3);
}

TEST(ClusterSearch, PricesMoveTheFront) {
  ClusterQuestion asked = three_clusters();
  asked.prices = {{"h100-sxm", 4}, {"a100-80gb", 1}};
  const auto found = search_clusters(asked);
  ASSERT_TRUE(found);
  EXPECT_TRUE((*found)[1].front);
  EXPECT_LT((*found)[1].cost(), (*found)[0].cost());
  asked.prices = {{"h100-sxm", 0}, {"a100-80gb", 1}};  // devices that are paid for
  const auto paid = search_clusters(asked);
  ASSERT_TRUE(paid);
  EXPECT_EQ((*paid)[0].cost(), 0);
  EXPECT_TRUE((*paid)[2].front);
  EXPECT_FALSE((*paid)[1].front) << "slower, and not free";
}

TEST(ClusterSearch, MistakesAreNamed) {
  ClusterQuestion asked = three_clusters();
  asked.prices = {{"h100-sxm", 4}};
  EXPECT_EQ(search_clusters(asked).error().code, Errc::usage);  // and the other?
  asked.prices = {{"h100-sxm", 4}, {"a100-80gb", 1}, {"b200", 9}};
  EXPECT_EQ(search_clusters(asked).error().code, Errc::usage);
  asked.prices = {{"h100-sxm", -1}, {"a100-80gb", 1}};
  EXPECT_EQ(search_clusters(asked).error().code, Errc::usage);
  asked = three_clusters();
  asked.clusters.push_back("no-such");
  EXPECT_FALSE(search_clusters(asked));
}

}  // namespace
}  // namespace orrery::explore

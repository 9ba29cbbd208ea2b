// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/network_comparison.h"

#include <gmock/gmock.h>

namespace orrery::study {
namespace {

using testing::HasSubstr;

NetworkComparisonQuestion on_networks(std::vector<std::string> networks) {
  NetworkComparisonQuestion question;
  question.networks = std::move(networks);
  question.base.job.model = "llama-3.1-8b";
  question.base.job.tp = "4";
  question.base.job.sharding = "zero1";
  question.base.job.global_batch = "64";
  return question;
}

// The columns are those that single runs give, named by what differs.
TEST(NetworkComparisons, EqualSingleRuns) {
  NetworkComparisonQuestion question =
      on_networks({"h100-sxm:16", "inter=5GB/s", "inter=5GB/s,20us"});
  question.prices = {"2"};
  const auto made = compare_networks(question);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->networks.size(), 3U);
  EXPECT_EQ(made->networks[0].name, "50 GB/s, 1.35 us");
  EXPECT_EQ(made->networks[1].name, "5 GB/s, 1.35 us");
  EXPECT_EQ(made->networks[2].name, "5 GB/s, 20 us");
  for (std::size_t i = 0; i < 2; ++i) {
    Question alone = question.base;
    alone.cluster = "h100-sxm:16";
    if (i > 0) alone.network_bandwidth = {"inter=5GB/s"};
    const auto run = simulate(alone);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->step(), made->networks[i].digest.step.step);
  }
  EXPECT_GT(made->networks[1].digest.step.step, made->networks[0].digest.step.step);
  ASSERT_TRUE(made->networks[1].difference.interval);
  EXPECT_GT(made->networks[1].difference.interval->upper, Time{});
  EXPECT_DOUBLE_EQ(*made->networks[0].cost(),
                   2 * 16 * seconds(made->networks[0].digest.step.step) / 3600);
}

// Tensor parallelism stays inside nodes, data parallelism crosses them: each has its dimension.
TEST(NetworkComparisons, TrafficIsOfTheOutermostDimensionOfItsGroup) {
  const auto made = compare_networks(on_networks({"h100-sxm:16", "inter=0.5"}));
  ASSERT_TRUE(made) << to_string(made.error());
  const auto& first = made->networks.front();
  ASSERT_EQ(first.traffic.size(), 2U);
  EXPECT_EQ(first.traffic[0].label, "intra");
  EXPECT_EQ(first.traffic[1].label, "inter");
  EXPECT_GT(first.traffic[0].bytes, 0U);
  EXPECT_GT(first.traffic[1].bytes, 0U);
  EXPECT_EQ(first.traffic[1].bytes, made->networks[1].traffic[1].bytes);
  NetworkComparisonQuestion alone = on_networks({"h100-sxm:16", "inter=0.5"});
  alone.base.job.tp = "1";
  const auto replicas = compare_networks(alone);
  ASSERT_TRUE(replicas);
  EXPECT_EQ(replicas->networks.front().traffic[0].bytes, 0U);  // all collectives span both
}

Error error_of(const NetworkComparisonQuestion& question) {
  const auto made = compare_networks(question);
  EXPECT_FALSE(made);
  return made ? Error{} : made.error();
}

TEST(NetworkComparisons, EachMistakeHasAnErrorWithWhatToDo) {
  EXPECT_THAT(error_of(on_networks({})).what, HasSubstr("no network"));
  EXPECT_THAT(error_of(on_networks({"h100-sxm:16"})).what, HasSubstr("one network"));
  EXPECT_THAT(error_of(on_networks({"inter=25GB/s"})).what, HasSubstr("none is given"));
  EXPECT_THAT(error_of(on_networks({"h100-sxm:16", "inter=roce-400"})).what,
              HasSubstr("do not differ"));
  EXPECT_THAT(error_of(on_networks({"h100-sxm:16", "inter=1GB/s", "inter=1GB/s"})).what,
              HasSubstr("networks 2 and 3 do not differ"));
  EXPECT_THAT(error_of(on_networks({"h100-sxm:16", "2us"})).where, HasSubstr("2us"));
  NetworkComparisonQuestion prices = on_networks({"h100-sxm:16", "inter=0.5"});
  prices.prices = {"1", "2", "3"};
  EXPECT_THAT(error_of(prices).what, HasSubstr("3 prices"));
  prices.prices = {"cheap"};
  EXPECT_THAT(error_of(prices).what, HasSubstr("not a price"));
}

}  // namespace
}  // namespace orrery::study

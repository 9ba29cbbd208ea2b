// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/index_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace orrery::model {
namespace {

// The sets of facebookresearch/dlrm_datasets, shares of rows (embedding_bag/locality_stats.txt).
constexpr ReuseHistogram k2021 = {.473, .152, .139, .112, .072, .032, .011, .005, .002,
                                  .001, 0,    0,    0,    0,    0,    0,    0};
constexpr ReuseHistogram k2022 = {.342, .144, .149, .138, .112, .068, .029, .010, .004,
                                  .002, .001, .001, 0,    0,    0,    0,    0};

ReuseHistogram normal(ReuseHistogram shares) {
  double sum = 0;
  for (const double share : shares) sum += share;
  for (double& share : shares) share /= sum;
  return shares;
}

StreamRequest wish_of(std::int64_t batch, std::int64_t pooling, std::int64_t rows,
                      const ReuseHistogram& shares) {
  return {batch, pooling, rows, normal(shares), 7};
}

TEST(Stream, HasTheHistogramThatWasWanted) {
  for (const auto& shares : {k2021, k2022}) {
    for (const auto& [batch, pooling] :
         {std::pair{512, 3}, std::pair{4096, 20}, std::pair{65536, 8}}) {
      const StreamRequest request = wish_of(batch, pooling, 2'000'000, shares);
      const auto plan = plan_stream(request);
      ASSERT_TRUE(plan) << to_string(plan.error());
      const std::vector<std::int64_t> stream = make_stream(request, *plan);
      ASSERT_EQ(stream.size(), static_cast<std::size_t>(batch * pooling));
      const Reuse is = reuse_of(stream);
      EXPECT_EQ(is.rows, plan->rows);
      EXPECT_EQ(is.rows_in, plan->rows_in);
      EXPECT_LT(is.largest, request.rows);
      for (std::size_t bin = 0; bin < kReuseBins; ++bin)
        EXPECT_LE(std::abs(is.shares()[bin] - request.shares[bin]),
                  1 / static_cast<double>(is.rows))  // a row more or less
            << "bin " << bin;
    }
  }
}

TEST(Stream, EveryBinAlone) {
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    StreamRequest request{1000, 1 + 1000 * static_cast<std::int64_t>(bin > 9), 1'000'000, {}, 1};
    request.shares[bin] = 1;
    const auto plan = plan_stream(request);
    ASSERT_TRUE(plan) << bin;
    EXPECT_EQ(reuse_of(make_stream(request, *plan)).shares()[bin], 1) << bin;
  }
}

TEST(Stream, IsTheSameForASeedAndOtherwiseNot) {
  StreamRequest request = wish_of(256, 10, 100'000, k2021);
  const auto plan = plan_stream(request);
  ASSERT_TRUE(plan);
  const auto one = make_stream(request, *plan);
  EXPECT_EQ(one, make_stream(request, *plan));
  EXPECT_EQ(one.front(), 73'620);  // the same on every machine
  request.seed = 8;
  EXPECT_NE(one, make_stream(request, *plan));
}

TEST(Stream, TakesAllRowsWhereItHasTo) {
  StreamRequest request{1000, 1, 1000, {}, 1};
  request.shares[0] = 1;
  const auto plan = plan_stream(request);
  ASSERT_TRUE(plan);
  auto stream = make_stream(request, *plan);
  std::sort(stream.begin(), stream.end());
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(stream[static_cast<std::size_t>(i)], i);
}

TEST(Stream, RefusesWhatCannotBe) {
  StreamRequest request{1000, 1, 999, {}, 1};
  request.shares[0] = 1;
  ASSERT_FALSE(plan_stream(request));  // a thousand rows of 999
  EXPECT_EQ(plan_stream(request).error().code, Errc::usage);
  request.shares[0] = 0.5;
  EXPECT_FALSE(plan_stream(request));  // shares of a half
  request.shares = {};
  request.shares[16] = 1;
  EXPECT_FALSE(plan_stream(request));  // a row that is read 32,769 times
  request.shares[16] = std::nan("");
  EXPECT_FALSE(plan_stream(request));
  EXPECT_FALSE(plan_stream({0, 1, 1, {1}, 1}));
  EXPECT_EQ(plan_stream({1ll << 40, 1ll << 40, 1, {1}, 1}).error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::model

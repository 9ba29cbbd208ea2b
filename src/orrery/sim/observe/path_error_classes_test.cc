// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "orrery/model/compute/kernel_models.h"
#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using testing::Deps;
using testing::line;
using testing::Rank;

/// Element-wise kernels take 10 us and are said to be 10 % less to 30 % more.
class TenMicroseconds final : public model::KernelModel {
 public:
  [[nodiscard]] std::optional<model::KernelTime> time(const graph::Kernel& kernel,
                                                      const model::Silicon&) const override {
    if (kernel.operation != graph::Operation::elementwise) return std::nullopt;
    return model::KernelTime{1e-5, TimeSource::learned, {-0.1, 0.3}, false};
  }
};

/// Eight H100 in a node.
platform::Platform node() {
  platform::Platform made = line(Block::switched, 8);
  made.dims[0].bandwidth = Bandwidth(450e9);
  made.device.name = made.device.entry = "h100-sxm";
  made.device.compute = TimeSource::automatic;
  made.device.in_step.gap = Time{};
  made.collectives.library = platform::CollectiveLibrary::nccl;
  return made;
}

Options with_kernels() {
  Options options;
  options.kernel_models[TimeSource::table] = std::make_shared<TenMicroseconds>();
  return options;
}

std::map<std::string, ErrorClass> by_name(const SimResult& result) {
  std::map<std::string, ErrorClass> made;
  for (const ErrorClass& one : result.error_classes) made[one.name] = one;
  return made;
}

// 3 us recorded, two kernels with predicted times, an all-reduce among all eight ranks.
graph::Workload step(std::uint32_t ranks) {
  Rank rank;
  const auto first = rank.comp(us(3));
  const auto second = rank.kernel(Time{}, 1, {first});
  const auto third = rank.kernel(Time{}, 1, {second});
  rank.coll(CollectiveType::all_reduce, 1 << 20, {third});
  return testing::replicated(rank, ranks);
}

TEST(ErrorClasses, SumToThePathByWhoToldIt) {
  const platform::Platform platform = node();
  const auto result = simulate(step(8), platform, with_kernels());
  ASSERT_TRUE(result) << to_string(result.error());
  const auto classes = by_name(*result);
  ASSERT_EQ(classes.size(), 3u);
  const ErrorClass& recorded = classes.at("recorded");
  EXPECT_EQ(recorded.time, us(3));
  EXPECT_EQ(recorded.band, ErrorBand{});
  // Both kernels are wrong together: their widths add.
  const ErrorClass& kernels = classes.at("learned elementwise unsaid");
  EXPECT_EQ(kernels.time, us(20));
  EXPECT_EQ(kernels.band, (ErrorBand{us(-2), us(6)}));
  const ErrorClass& reduce = classes.at("nccl all_reduce, 8 ranks (measured)");
  ASSERT_EQ(result->predicted.size(), 1u);
  const PredictedCollective& predicted = result->predicted.front();
  EXPECT_EQ(predicted.type, "all_reduce");
  EXPECT_EQ(predicted.bytes, Bytes(1 << 20));
  EXPECT_EQ(predicted.ranks, 8u);
  EXPECT_EQ(predicted.nodes, 1u);
  EXPECT_EQ(predicted.source, "measured");
  EXPECT_FALSE(predicted.algorithm.empty());
  ASSERT_TRUE(predicted.error && reduce.band);
  EXPECT_NEAR(seconds(reduce.time), seconds(predicted.time), 2e-12);
  EXPECT_NEAR(seconds(reduce.band->upper), seconds(reduce.time) * predicted.error->upper, 1e-12);
  EXPECT_EQ(recorded.time + kernels.time + reduce.time, result->end);
  EXPECT_EQ(predicted.provenance, TimeProvenance::interpolated);
  TimeByProvenance time_by_provenance{};
  time_by_provenance[static_cast<std::size_t>(TimeProvenance::recorded)] = us(3);
  time_by_provenance[static_cast<std::size_t>(TimeProvenance::interpolated)] = result->end - us(3);
  EXPECT_EQ(result->time_by_provenance, time_by_provenance);
}

// A shorter all-reduce that waits behind a longer one takes that one's time, too.
TEST(ErrorClasses, WhatACollectiveWaitsForInItsQueueIsCollectives) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 1 << 26, {}, "a");
  rank.coll(CollectiveType::all_reduce, 1 << 20, {}, "b");
  graph::Workload work = testing::replicated(rank, 8);
  work.groups["a"] = {"a", {0, 1, 2, 3, 4, 5, 6, 7}};
  work.groups["b"] = work.groups["a"];
  work.groups["b"].name = "b";
  const auto result = simulate(work, node(), {});
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->error_classes.size(), 1u);
  EXPECT_EQ(result->error_classes.front().time, result->end);
  EXPECT_TRUE(result->error_classes.front().band);
}

TEST(ErrorClasses, NobodyKnowsHowFarOffIdealNetworksAndRooflinesAre) {
  platform::Platform platform = node();
  platform.collectives.library = platform::CollectiveLibrary::ideal;
  platform.device.compute = TimeSource::roofline;
  platform.device.peak = platform.device.rated = FlopRate(1e15);
  platform.device.memory = Bandwidth(1e12);
  Rank rank;
  const auto first = rank.work(1'000'000'000, 1'000'000);
  const auto sent = rank.coll(CollectiveType::all_reduce, 1 << 20, {first});
  rank.load(1000, {sent});
  const auto result = simulate(testing::replicated(rank, 8), platform, {});
  ASSERT_TRUE(result) << to_string(result.error());
  Time sum{};
  for (const ErrorClass& one : result->error_classes) {
    EXPECT_FALSE(one.band) << one.name;
    sum += one.time;
  }
  EXPECT_EQ(sum, result->end);
  EXPECT_EQ(result->time_by_provenance[static_cast<std::size_t>(TimeProvenance::formula)],
            result->end);
  const auto classes = by_name(*result);
  EXPECT_TRUE(classes.contains("roofline"));
  EXPECT_TRUE(classes.contains("network, all_reduce"));
  EXPECT_TRUE(classes.contains("memory"));
  EXPECT_TRUE(result->predicted.empty());
}

// Between measured sizes, and beyond the largest.
TEST(ErrorClasses, SayWhatIsBeyondMeasurements) {
  const auto provenance_of_reduce = [](std::int64_t bytes) {
    Rank rank;
    rank.coll(CollectiveType::all_reduce, bytes);
    const auto result = simulate(testing::replicated(rank, 8), node(), {});
    EXPECT_TRUE(result && result->predicted.size() == 1);
    return result->predicted.front().provenance;
  };
  EXPECT_EQ(provenance_of_reduce(1 << 20), TimeProvenance::interpolated);
  EXPECT_EQ(provenance_of_reduce(std::int64_t{1} << 42), TimeProvenance::extrapolated);
}

TEST(ErrorClasses, AreTheSameWhenOneRankStandsForAll) {
  Options options = with_kernels();
  const auto every = simulate(step(8), node(), options);
  options.fold = true;
  const auto folded = simulate(step(8), node(), options);
  ASSERT_TRUE(every && folded);
  EXPECT_EQ(folded->savings.representatives, 1u);
  EXPECT_EQ(first_difference(*folded, *every).value_or(""), "");
  EXPECT_EQ(folded->error_classes, every->error_classes);
}

}  // namespace
}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/comparison/compare_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/toy_run_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::analysis {
namespace {

using namespace testing;
using result::SpanKind;

TEST(Compare, ARunWithItself) {
  const result::Run run = result::testing::sample_run(4, 2);
  const Comparison same = compare(run, run);
  EXPECT_TRUE(same.slower.empty());
  EXPECT_TRUE(same.faster.empty());
  EXPECT_TRUE(same.facts_a.empty());
  EXPECT_EQ(same.matched, 32u);
  EXPECT_EQ(same.only_a + same.only_b, 0u);
  for (const MetricChange& one : same.metrics) EXPECT_EQ(one.change, 0) << one.a.name;
  EXPECT_FALSE(regressed(run, run, 0));
  EXPECT_EQ(same.path_a, same.path_b);
}

ToyRun slow_at(std::uint32_t rank, std::int64_t by) {
  std::vector<std::int64_t> lengths(3, 1000);
  lengths[rank] += by;
  ToyRun toy = make_toy(3, {{Round::compute, lengths}, {Round::all_reduce, {500}}});
  find_critical_path(toy.run);
  return toy;
}

TEST(Compare, NamesWhatGotSlowerAndWhy) {
  const ToyRun a = slow_at(1, 0), b = slow_at(1, 2000);
  const Comparison found = compare(a.run, b.run);
  ASSERT_EQ(found.slower.size(), 2u);
  // Two ranks wait 2,000 ps each: the largest change.
  EXPECT_EQ(found.slower[0].kind, SpanKind::collective);
  EXPECT_EQ(found.slower[0].b - found.slower[0].a, Time(2000));
  EXPECT_EQ(found.slower[0].wait, Time(2000));
  EXPECT_EQ(found.slower[0].ranks, 2u);
  EXPECT_EQ(found.slower[0].rank, 0u);
  EXPECT_EQ(found.slower[0].why, "it waits 2 ns longer for rank 1, which arrives last");
  EXPECT_EQ(found.slower[1].kind, SpanKind::compute);
  EXPECT_EQ(found.slower[1].rank, 1u);
  EXPECT_EQ(found.slower[1].ranks, 1u);
  EXPECT_EQ(found.slower[1].why, "its work takes 2 ns longer");
  EXPECT_TRUE(found.slower[1].critical);
  EXPECT_EQ(found.matched, 6u);
  const Comparison back = compare(b.run, a.run);
  EXPECT_TRUE(back.slower.empty());
  ASSERT_EQ(back.faster.size(), 2u);
  // The rank that it waited for before: in the other run it waits for no rank.
  EXPECT_EQ(back.faster[0].why, "it waits 2 ns less for rank 1, which arrives last");
  EXPECT_EQ(back.faster[1].why, "its work takes 2 ns less");
  EXPECT_EQ(compare(a.run, b.run, 1).slower.size(), 1u);
}

TEST(Compare, PartsAddUp) {
  const result::Run a = result::testing::sample_run(4, 2);
  result::Run b = a;
  auto& span = b.timelines[2].spans[1];
  span.end += us(3);
  span.queue = us(2);
  const Comparison found = compare(a, b);
  ASSERT_EQ(found.slower.size(), 1u);
  const NodeChange& one = found.slower[0];
  EXPECT_EQ(one.wait + one.queue + one.latency + one.rest, one.b - one.a);
  EXPECT_EQ(one.rank, 2u);
  EXPECT_EQ(one.why, "it queues 2 us longer for busy links");
}

TEST(Compare, SaysWhenTheWorkIsAnother) {
  const result::Run a = result::testing::sample_run(1, 1);
  result::Run b = a;
  auto& spans = b.timelines[0].spans;
  spans[0].end += us(1);
  spans[0].flops *= 2;
  EXPECT_EQ(compare(a, b).slower.at(0).why,
            "its work takes 1 us longer: 2,000,000 operations instead of 1,000,000");
  spans[0].model = TimeSource::roofline;
  EXPECT_EQ(compare(a, b).slower.at(0).why,
            "its work takes 1 us longer: roofline model instead of recorded");
  b = a;
  b.timelines[0].spans[2].end += us(1);
  EXPECT_EQ(compare(a, b).slower.at(0).why, "its transfer takes 1 us longer: bandwidth");
  b.timelines[0].spans[2].bytes = Bytes(2048);
  EXPECT_EQ(compare(a, b).slower.at(0).why,
            "its transfer takes 1 us longer: 2 KiB instead of 1 KiB");
  b.timelines[0].spans[2].latency += us(1);
  EXPECT_EQ(compare(a, b).slower.at(0).why, "its hops and end points take 1 us longer");
}

TEST(Compare, NodesOfOnlyOneRun) {
  const result::Run a = result::testing::sample_run(2, 1);
  result::Run b = result::testing::sample_run(2, 2);
  b.timelines[0].spans[0].name = b.names.intern("another");
  const Comparison found = compare(a, b);
  EXPECT_EQ(found.matched, 7u);
  EXPECT_EQ(found.only_a, 1u);
  EXPECT_EQ(found.only_b, 9u);
}

TEST(Compare, RunsOfDifferentSizesByName) {
  const result::Run a = result::testing::sample_run(2, 1), b = result::testing::sample_run(4, 2);
  const Comparison found = compare(a, b);
  EXPECT_EQ(found.matched, 8u);
  EXPECT_EQ(found.only_b, 24u);
  ASSERT_FALSE(found.slower.empty());
  EXPECT_EQ(found.slower[0].rank, result::kNone);
  EXPECT_EQ(found.slower[0].ranks, 0u);
  EXPECT_EQ(found.slower[0].name, "matmul");
  EXPECT_EQ(found.slower[0].a, ps(10'500'000));
  EXPECT_EQ(found.slower[0].b, ps(20'500'000));
}

TEST(Compare, FactsThatDiffer) {
  const result::Run a = result::testing::sample_run(2, 1);
  result::Run b = a;
  b.manifest[1].second = "another";
  b.manifest.emplace_back("seed", "7");
  const Comparison found = compare(a, b);
  using Facts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(found.facts_a, (Facts{{"workload", "sample"}, {"seed", ""}}));
  EXPECT_EQ(found.facts_b, (Facts{{"workload", "another"}, {"seed", "7"}}));
}

TEST(Compare, KeepsMetricsOfOnlyOneRun) {
  const ToyRun even = slow_at(1, 0), uneven = slow_at(1, 2000);
  const auto at = [](const Comparison& found, std::string_view name) {
    for (const MetricChange& one : found.metrics)
      if (one.a.name == name || one.b.name == name) return one;
    return MetricChange{};
  };
  const MetricChange gone = at(compare(uneven.run, even.run), "straggler");
  EXPECT_EQ(gone.a.name, "straggler");
  EXPECT_EQ(gone.b.name, "");
  EXPECT_EQ(gone.change, -std::numeric_limits<double>::infinity());
  const Comparison found = compare(even.run, uneven.run);
  const MetricChange made = at(found, "straggler");
  EXPECT_EQ(made.a.name, "");
  EXPECT_EQ(made.b.name, "straggler");
  EXPECT_EQ(made.change, std::numeric_limits<double>::infinity());
  // Where the table of metrics has it, not at the end.
  EXPECT_EQ(found.metrics.front().a.name, "step");
  EXPECT_NE(found.metrics.back().b.name, "straggler");
}

TEST(Compare, ARegressionIsMoreThanTheThreshold) {
  result::Run a, b;
  a.step = Time(100);
  b.step = Time(105);
  EXPECT_FALSE(regressed(a, b, 0.06));
  EXPECT_TRUE(regressed(a, b, 0.04));
  EXPECT_FALSE(regressed(b, a, 0));
  b.step = Time(1);
  b.stalled = true;
  EXPECT_TRUE(regressed(a, b, 0.5));
  EXPECT_FALSE(regressed(b, a, 0));
  a.step = Time{};
  b = a;
  b.step = Time(1);
  EXPECT_TRUE(regressed(a, b, 10));
  EXPECT_TRUE(std::isinf(compare(a, b).metrics.at(0).change));
}

}  // namespace
}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/metric_table.h"
#include "orrery/analysis/toy_run_testing.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/paths_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::analysis {
namespace {

using namespace testing;

const Metric* find(const std::vector<Metric>& all, std::string_view name) {
  for (const Metric& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

TEST(Metrics, SharesSumToTheStep) {
  result::Run run = result::testing::sample_run(4, 3);
  run.ranks[2].finish = run.step - us(3);
  run.ranks[2].comm_only = run.ranks[2].comm_only - us(3);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const Shares s = rank_time_shares(run, r);
    EXPECT_EQ(s.exposed_compute + s.overlapped + s.exposed_comm + s.exposed_memory + s.idle,
              run.step);
  }
  EXPECT_EQ(rank_time_shares(run, 2).idle, us(3));
  const Shares mean = mean_shares(run);
  EXPECT_EQ(
      mean.exposed_compute + mean.overlapped + mean.exposed_comm + mean.exposed_memory + mean.idle,
      run.step);
  EXPECT_EQ(mean.idle, ps(750'000));
}

TEST(Metrics, OfARankThatNeverFinished) {
  result::Run run = result::testing::sample_run(2, 1);
  run.stalled = true;
  run.ranks[1].finish.reset();
  run.ranks[1].comm_only = us(1);
  EXPECT_EQ(rank_time_shares(run, 1).idle, run.step - run.ranks[1].compute_only - us(1));
}

TEST(Metrics, ABubbleIsWhatAPipelineIdles) {
  result::Run run = result::testing::sample_run(2, 1);
  EXPECT_EQ(bubble(run), 0.0);
  run.ranks[0].comm_only = run.ranks[0].comm_only - us(4);
  run.ranks[0].idle = us(4);
  EXPECT_DOUBLE_EQ(*bubble(run), 4.0 / 19 / 2);
  ToyRun toy = make_toy(2, {{Round::compute, {5, 8}}});
  EXPECT_FALSE(bubble(toy.run).has_value()) << "no rank sends";
}

TEST(Metrics, UtilizationLeavesRecomputationOut) {
  result::Run run = result::testing::sample_run(4, 2);
  Utilization use = utilization(run);
  EXPECT_DOUBLE_EQ(use.flops, 8e6);
  EXPECT_DOUBLE_EQ(*use.hfu, 8e6 / (38e-6 * 1e12 * 4));
  EXPECT_EQ(use.hfu, use.mfu);
  run.timelines[0].spans[0].name = run.names.intern("layer 3 Recompute/matmul");
  use = utilization(run);
  EXPECT_DOUBLE_EQ(*use.mfu, *use.hfu * 7 / 8);
  run.peak_flops = 0;
  EXPECT_FALSE(utilization(run).hfu.has_value());
}

// Llama 3.1 405B on 16,384 H100 (Dubey et al., 2024, table 4): 400 TFLOP/s per GPU and 41 % of 989
// TFLOP/s. By 6 N D alone, 16 M tokens then take 6.2 s.
TEST(Metrics, WhatPeopleQuote) {
  result::StepWork work;
  work.samples = 2048;
  work.tokens = 2048 * 8192;
  work.model_flops = 6.0 * 405e9 * 2048 * 8192;
  work.hardware_flops = work.model_flops * 4 / 3;
  const auto speed = throughput(work, us(6'221'000), 16'384, 989.4e12);
  ASSERT_TRUE(speed.has_value());
  EXPECT_NEAR(speed->tokens, 2048 * 8192 / 6.221, 1);
  EXPECT_NEAR(speed->samples, 2048 / 6.221, 1e-3);
  EXPECT_NEAR(speed->flops, 400e12, 1e12);
  EXPECT_NEAR(*speed->mfu, 0.404, 1e-3);
  EXPECT_NEAR(*speed->hfu, 0.404 * 4 / 3, 1e-3);
  EXPECT_FALSE(throughput(work, us(1), 8, 0)->mfu.has_value()) << "no peak is known";
  EXPECT_FALSE(throughput(work, Time{}, 8, 1e12).has_value());
}

TEST(Metrics, WorkThatIsKnownIsNotGuessedFromNames) {
  result::Run run = result::testing::sample_run(4, 2);
  run.work = result::StepWork{4096, 8, 3e6, 6e6};
  EXPECT_DOUBLE_EQ(*utilization(run).mfu, 3e6 / (38e-6 * 1e12 * 4));
  EXPECT_DOUBLE_EQ(*utilization(run).hfu, 2 * *utilization(run).mfu);
  const auto value = [&](std::string_view name) {
    for (const Metric& metric : metrics(run)) {
      if (metric.name == name) return metric.value;
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value("tokens_rate"), 4096 / 38e-6);
  EXPECT_DOUBLE_EQ(value("tokens_rate_device"), 1024 / 38e-6);
  EXPECT_DOUBLE_EQ(value("flops_rate_device"), 3e6 / 38e-6 / 4);
  EXPECT_EQ(value("samples_rate"), -1) << "it has tokens";
  run.work->tokens = 0;
  EXPECT_DOUBLE_EQ(value("samples_rate"), 8 / 38e-6);
  EXPECT_EQ(value("tokens_rate"), -1);
  run.work.reset();
  EXPECT_EQ(value("flops_rate_device"), -1) << "the work of a trace is unknown";
}

// nccl-tests: 4 ranks, 4096 bytes in 6 us.
TEST(Metrics, SpeedOfACollective) {
  result::Run run = result::testing::sample_run(4, 1);
  result::Collective& one = run.collectives[0];
  auto speed = speed_of(run, one);
  ASSERT_TRUE(speed.has_value());
  EXPECT_EQ(speed->time, us(6));
  EXPECT_DOUBLE_EQ(speed->algbw, 4096 / 6e-6);
  EXPECT_DOUBLE_EQ(speed->busbw, 4096 / 6e-6 * 2 * 3 / 4);
  EXPECT_DOUBLE_EQ(*speed->of_bound, 0.5);
  one.type = "all_gather";
  speed = speed_of(run, one);
  EXPECT_DOUBLE_EQ(speed->algbw, 4096 / 6e-6);
  EXPECT_DOUBLE_EQ(speed->busbw, 4096 / 6e-6 * 3 / 4);
  one.type = "broadcast";
  EXPECT_DOUBLE_EQ(speed_of(run, one)->busbw, 4096 / 6e-6);
  one.end = one.last_start;
  EXPECT_EQ(speed_of(run, one)->algbw, 0);
  one.end.reset();
  EXPECT_FALSE(speed_of(run, one).has_value());
  one.end = one.last_start + us(1);
  one.joined = false;
  EXPECT_FALSE(speed_of(run, one).has_value()) << "replayed: no rank waited";
}

TEST(Metrics, ClassesOfCollectives) {
  result::Run run = result::testing::sample_run(4, 3);
  run.collectives[2].bytes = Bytes(64);
  const auto classes = collective_classes(run);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].count, 2u);
  EXPECT_EQ(classes[0].members, 4u);
  EXPECT_EQ(classes[0].time, us(12));
  EXPECT_EQ(classes[0].waited, us(6)) << "three ranks, 1 us, twice";
  EXPECT_DOUBLE_EQ(classes[0].algbw, 4096 / 6e-6);
  EXPECT_DOUBLE_EQ(*classes[0].of_bound, 0.5);
  EXPECT_EQ(classes[1].bytes, Bytes(64));
  EXPECT_EQ(collective_classes(run, true).front().group, 0u);
}

// What took its recorded time lasted, but says nothing of these links.
TEST(Metrics, RecordedCollectivesHaveALengthAndNoSpeed) {
  result::Run run = result::testing::sample_run(4, 3);
  for (result::Collective& one : run.collectives) one.joined = false;
  for (const auto& one : collective_classes(run)) {
    EXPECT_GT(one.time, Time{});
    EXPECT_EQ(one.busbw, 0);
    EXPECT_FALSE(one.of_bound);
  }
}

TEST(Metrics, SharedTimelinesCountOncePerRank) {
  result::Run run = result::testing::sample_run(4, 1, false);
  run.timelines[0].spans[1].wait = us(1);
  EXPECT_EQ(collective_classes(run).front().waited, us(4));
}

TEST(Metrics, StragglersAreThoseOthersWaitFor) {
  const result::Run run = result::testing::sample_run(4, 2);
  const Stragglers found = stragglers(run);
  ASSERT_EQ(found.ranks.size(), 4u);
  EXPECT_EQ(found.ranks[0].rank, 1u);
  EXPECT_EQ(found.ranks[0].caused_wait, us(6));
  EXPECT_EQ(found.ranks[0].waited, Time{});
  EXPECT_EQ(found.ranks[0].times_last, 2u);
  EXPECT_EQ(found.ranks[1].rank, 0u);
  EXPECT_EQ(found.ranks[1].waited, us(2));
  ASSERT_EQ(found.worst.size(), 3u);
  EXPECT_EQ(found.worst[0].waiter, 0u);
  EXPECT_EQ(found.worst[0].straggler, 1u);
  EXPECT_EQ(found.worst[0].time, us(2));
}

TEST(Metrics, AReceiveWaitsForItsSender) {
  const ToyRun toy = make_toy(2, {{Round::compute, {10, 1}}, {Round::shift, {6, 2}}});
  const Stragglers found = stragglers(toy.run);
  ASSERT_EQ(found.ranks.size(), 2u);
  EXPECT_EQ(found.ranks[0].rank, 0u);
  EXPECT_EQ(found.ranks[0].caused_wait, Time(9));
  EXPECT_EQ(found.ranks[0].times_last, 0u);
}

TEST(Metrics, EachHasARowInTheTable) {
  result::Run run = result::testing::sample_run(4, 2);
  run.work = {.tokens = 4096, .samples = 2, .model_flops = 1e9, .hardware_flops = 2e9};
  run.manifest.emplace_back(kWorkByFormat, "fp8 1e9 2e9 9e15");
  const std::vector<Metric> all = metrics(run);
  std::size_t row = 0;
  for (const Metric& one : all) {
    const MetricInfo* info = find_metric(one.name);
    ASSERT_NE(info, nullptr) << one.name;
    EXPECT_EQ(one.title, info->title);
    EXPECT_EQ(one.unit, info->unit);
    EXPECT_FALSE(one.text.empty());
    while (row < metric_table().size() && metric_table()[row].name != one.name) ++row;
    EXPECT_LT(row, metric_table().size()) << one.name << " stands out of order";
  }
  // The sample has tokens instead of samples.
  const auto of_runs = std::count_if(metric_table().begin(), metric_table().end(),
                                     [](const MetricInfo& info) { return !info.of_searches; });
  EXPECT_EQ(static_cast<std::ptrdiff_t>(all.size()) + 1, of_runs);
  EXPECT_EQ(find(all, "step")->text, "38 us");
  EXPECT_EQ(find(all, "exposed_compute")->text, "20.5 us (53.9 %)");
  EXPECT_EQ(find(all, "straggler")->text, "rank 1: others waited 6 us for it in total");
  EXPECT_EQ(find(all, "peer_wait_worst")->text, "2 us (rank 0)");
  EXPECT_EQ(find(all, "busbw")->text, "1.024 GB/s (all_reduce of 4 KiB on 4 ranks)");
  EXPECT_EQ(find(all, "flops")->text, "8 MFLOP");
  EXPECT_EQ(find(all, "peak_memory")->text, "8 KiB of 1 MiB (rank 0)");
  EXPECT_EQ(find(all, "critical_work")->text, "22 us (57.9 %)");
  EXPECT_FALSE(meaning_of("idle").empty());
  EXPECT_EQ(meaning_of("nonsense"), "");
}

TEST(Metrics, OfAnEmptyRun) {
  const result::Run run;
  const std::vector<Metric> all = metrics(run);
  EXPECT_EQ(find(all, "step")->value, 0);
  EXPECT_EQ(find(all, "idle")->text, "0 ns (0 %)");
  EXPECT_EQ(find(all, "hfu"), nullptr);
}

/// Generated from the table; ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(Metrics, ThePageIsUpToDate) {
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/metrics.md";
  const std::string text = metrics_markdown();
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << text;
  std::stringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), text) << "run this test with ORRERY_UPDATE_DOCS=1";
}

TEST(Words, SharesAndNames) {
  EXPECT_EQ(share_text(0), "0 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0.00001), "<0.1 %");
  EXPECT_EQ(share_text(0.99999), "99.9 %");
  EXPECT_EQ(share_text(0.583), "58.3 %");
  EXPECT_EQ(analysis::quoted("a\"b"), "\"a\"b\"");
  EXPECT_EQ(analysis::quoted(std::string(119, 'x') + "é").size(), 119 + 2 + 3u)
      << "cut before the character";
  EXPECT_EQ(plural(1, "rank"), "1 rank");
  EXPECT_EQ(plural(1200, "rank"), "1,200 ranks");
}

}  // namespace
}  // namespace orrery::analysis

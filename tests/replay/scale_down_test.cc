// SPDX-License-Identifier: Apache-2.0
//
// Traces of a job, made smaller, are those of the smaller job.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "orrery/core/effort_testing.h"
#include "orrery/study/jobs/workload_to_chakra.h"
#include "scale_down_testing.h"

namespace orrery::study {
namespace {

const JobKeys kSmall = {"batch.seq=1024", "batch.micro=1", "model.layers=8"};

JobKeys with(JobKeys keys, const JobKeys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

TEST_F(ScaleDownJobs, FewerReplicasAreTheSmallerJob) {
  for (const char* sharding : {"none", "zero1", "zero2", "zero3"}) {
    const JobKeys same =
        with(kSmall, {"parallel.tp=2", fmt::format("parallel.sharding={}", sharding)});
    expect_equal(pair(same, {"parallel.dp=8", "batch.global=32"},
                      {"parallel.dp=2", "batch.global=8"}, "h100-sxm:16", asked("dp=2")),
                 sharding);
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, OneReplicaHasNoGradientsToReduce) {
  const auto predicted = pair(with(kSmall, {"parallel.tp=2"}), {"parallel.dp=4", "batch.global=16"},
                              {"parallel.dp=1", "batch.global=4"}, "h100-sxm:8", asked("dp=1"));
  expect_equal(predicted, "dp=1");
  ASSERT_TRUE(predicted);
  EXPECT_GT(predicted->made.left_out.collectives, 0u);
  EXPECT_EQ(predicted->made.left_out.messages, 0u);
}

TEST_F(ScaleDownJobs, ReplicasOfPipelinesAreTheSmallerJob) {
  for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb_h1", "zb_v"}) {
    const bool chunks = std::string(schedule) == "interleaved" || std::string(schedule) == "zb_v";
    const JobKeys same =
        with(kSmall, {"parallel.pp=2", "parallel.tp=2", fmt::format("schedule.kind={}", schedule),
                      fmt::format("schedule.chunks={}", chunks ? 2 : 1)});
    expect_equal(pair(same, {"parallel.dp=4", "batch.global=32"},
                      {"parallel.dp=2", "batch.global=16"}, "h100-sxm:16", asked("dp=2")),
                 schedule);
  }
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, LayersAndMicrobatchesGoWithRanks) {
  auto question = asked("dp=2");
  question.layers = 4;
  question.microbatches = 6;
  const JobKeys same = {"batch.seq=1024", "batch.micro=1", "parallel.pp=2", "schedule.kind=1f1b"};
  const auto predicted =
      pair(same, {"parallel.dp=8", "batch.global=96", "model.layers=16"},
           {"parallel.dp=2", "batch.global=12", "model.layers=4"}, "h100-sxm:16", question);
  ASSERT_TRUE(predicted) << fmt::format("{}", fmt::join(refused_, "\n"));
  EXPECT_NEAR(predicted->off, 0, 0.01);
  ASSERT_TRUE(predicted->made.by_sizes);
  EXPECT_NEAR(predicted->made.by_sizes->error, 0, 0.02);
}

TEST_F(ScaleDownJobs, FewerStagesAreTheSmallerJob) {
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1"}) {
    const JobKeys same = {"batch.seq=1024", "batch.micro=1", "parallel.tp=2",
                          fmt::format("schedule.kind={}", schedule), "batch.global=16"};
    const auto predicted = pair(same, {"parallel.pp=8", "model.layers=16"},
                                {"parallel.pp=2", "model.layers=4"}, "h100-sxm:16", asked("pp=2"));
    expect_equal(predicted, schedule);
  }
}

TEST_F(ScaleDownJobs, ASmallerBatchIsTheSmallerJob) {
  for (const JobKeys& plan :
       {JobKeys{"parallel.tp=2"}, JobKeys{"parallel.tp=2", "parallel.sp=true"},
        JobKeys{"parallel.pp=2", "parallel.dp=4"},
        JobKeys{"parallel.dp=8", "parallel.sharding=zero1"},
        JobKeys{"parallel.dp=8", "parallel.sharding=zero3"},
        JobKeys{"parallel.cp=2", "parallel.tp=2"},
        JobKeys{"parallel.tp=2", "recompute.kind=full"}}) {
    auto question = asked("");
    question.batch = {0.25};
    const JobKeys same = with({"batch.seq=1024", "model.layers=8"}, plan);
    expect_equal(pair(same, {"batch.micro=4", "batch.global=64"},
                      {"batch.micro=1", "batch.global=16"}, "h100-sxm:8", question),
                 fmt::format("{}", fmt::join(plan, " ")));
  }
  model_ = "mixtral-8x7b";
  auto question = asked("");
  question.batch = {0.25};
  const JobKeys experts = {"batch.seq=1024", "model.layers=4", "parallel.ep=4", "parallel.dp=8"};
  const auto predicted = pair(experts, {"batch.micro=4", "batch.global=64"},
                              {"batch.micro=1", "batch.global=16"}, "h100-sxm:8", question);
  expect_equal(predicted, "experts");
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, ExpertsAndContextAreTheSmallerJob) {
  model_ = "mixtral-8x7b";
  const JobKeys experts = {"batch.seq=1024", "batch.micro=1", "model.layers=4", "parallel.ep=4"};
  expect_equal(pair(experts, {"parallel.dp=16", "batch.global=32"},
                    {"parallel.dp=8", "batch.global=16"}, "h100-sxm:16", asked("dp=2")),
               "ep=4");
  model_ = "llama-3.1-8b";
  const JobKeys context = {"batch.seq=2048", "batch.micro=1", "model.layers=4", "parallel.cp=2",
                           "parallel.tp=2"};
  expect_equal(pair(context, {"parallel.dp=4", "batch.global=16"},
                    {"parallel.dp=2", "batch.global=8"}, "h100-sxm:16", asked("dp=2")),
               "cp=2");
  EXPECT_TRUE(refused_.empty()) << fmt::format("{}", fmt::join(refused_, "\n"));
}

TEST_F(ScaleDownJobs, RandomPairsOfJobs) {
  std::mt19937 random(7);
  const auto one_of = [&](const std::vector<int>& values) {
    return values[random() % values.size()];
  };
  const auto word = [&](const JobKeys& words) { return words[random() % words.size()]; };
  const int pairs = core_testing::case_count(40, 15);
  int tried = 0;
  double worst = 0;
  for (int i = 0; i < pairs; ++i) {
    const int pp = one_of({1, 1, 2, 4}), tp = one_of({1, 2}), dp = 16 / pp / tp;
    const int pp_left = pp == 4 ? one_of({2, 4}) : pp, dp_left = one_of({2, dp});
    const int each = 4 * one_of({1, 2}), layers = each * pp, left = one_of({4, each}) * pp_left;
    const int microbatches = 3 * pp + one_of({4, 6}), fewer = microbatches - one_of({0, 2});
    const int batch = one_of({1, 1, 2});
    const JobKeys same = {fmt::format("parallel.tp={}", tp), "batch.seq=512",
                          "schedule.kind=" + word({"1f1b", "gpipe"}),
                          "parallel.sharding=" + word({"none", "zero1"})};
    const auto job = [&](int p, int d, int l, int m, int b) {
      return JobKeys{fmt::format("parallel.pp={}", p), fmt::format("parallel.dp={}", d),
                     fmt::format("model.layers={}", l), fmt::format("batch.micro={}", b),
                     fmt::format("batch.global={}", m * d * b)};
    };
    std::string ranks = fmt::format("dp={}", dp_left);
    if (pp > 1) ranks += fmt::format(",pp={}", pp_left);
    auto question = asked(ranks);
    if (left != layers / pp * pp_left) question.layers = left;
    if (fewer != microbatches) question.microbatches = fewer;
    question.batch = {1.0 / batch};
    const auto predicted = pair(same, job(pp, dp, layers, microbatches, batch),
                                job(pp_left, dp_left, left, fewer, 1), "h100-sxm:16", question);
    if (!predicted) continue;
    ++tried;
    const std::string what =
        fmt::format("{} {} to {} {}", fmt::join(same, " "),
                    fmt::join(job(pp, dp, layers, microbatches, batch), " "),
                    fmt::join(job(pp_left, dp_left, left, fewer, 1), " "), ranks);
    EXPECT_NEAR(predicted->off, 0, 0.01) << what;
    expect_same_nodes(*predicted, what);
    worst = std::max(worst, std::abs(predicted->off));
  }
  EXPECT_GE(tried, pairs * 9 / 10) << fmt::format("{}", fmt::join(refused_, "\n"));
  RecordProperty("tried", tried);
  RecordProperty("worst", fmt::format("{:.3g}", worst));
}

// A job is asked about as its traces are.
TEST_F(ScaleDownJobs, AJobIsWhatItsTracesAre) {
  ScaleDownQuestion question = asked("dp=2,pp=2");
  question.layers = 4;
  question.base.cluster = "h100-sxm:16";
  const JobKeys keys = with(kSmall, {"parallel.dp=4", "parallel.pp=4", "batch.global=32"});
  Watch watch;
  question.base.job.model = model_;
  question.base.job.set = keys;
  const auto job = scale_down(question, watch);
  ASSERT_TRUE(job.has_value()) << to_string(job.error());
  question.base.job = {};
  question.base.workload = traces("big", "h100-sxm:16", keys);
  const auto read = scale_down(question, watch);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(job->original.step, read->original.step);
  EXPECT_EQ(job->scaled.step, read->scaled.step);
  EXPECT_EQ(job->choice.ranks, read->choice.ranks);
}

// What is written is what was simulated.
TEST_F(ScaleDownJobs, WrittenTracesAreWhatWasSimulated) {
  ScaleDownQuestion question = asked("dp=2,pp=2", ScaleInvariant::volume);
  question.layers = 4;
  question.base.cluster = "h100-sxm:16";
  question.base.workload = traces(
      "big", "h100-sxm:16", with(kSmall, {"parallel.dp=4", "parallel.pp=4", "batch.global=32"}));
  Watch watch;
  const auto made = scale_down(question, watch);
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  const std::string prefix = (folder_ / "written").string();
  const auto written = write_chakra_workload(*made->scaled_workload, prefix, false);
  ASSERT_TRUE(written.has_value()) << to_string(written.error());
  EXPECT_EQ(written->ranks, 4u);
  EXPECT_FALSE(write_chakra_workload(*made->scaled_workload, prefix, false).has_value());
  Question again;
  again.workload = prefix;
  again.cluster = "part";
  again.cluster_text = platform::resolved_cluster(made->scaled_cluster->platform);
  const auto predicted = simulate(again);
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  EXPECT_EQ(predicted->outcome().result.end, made->scaled.step);
}

TEST_F(ScaleDownJobs, WhatIsKeptIsKept) {
  for (const ScaleInvariant keep : {ScaleInvariant::buffers, ScaleInvariant::volume,
                                    ScaleInvariant::stated, ScaleInvariant::job}) {
    ScaleDownQuestion question = asked("dp=2", keep);
    question.base.cluster = "h100-sxm:16";
    question.base.workload = traces("big", "h100-sxm:16",
                                    with(kSmall, {"parallel.tp=2", "parallel.dp=8",
                                                  "parallel.sharding=zero1", "batch.global=32"}));
    Watch watch;
    const auto made = scale_down(question, watch);
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    if (keep == ScaleInvariant::job) {
      EXPECT_GT(made->scaled.bytes, made->original.bytes);
    } else {
      EXPECT_DOUBLE_EQ(made->scaled.flops, made->original.flops);
      EXPECT_DOUBLE_EQ(made->scaled.bytes, made->original.bytes);
    }
    bool seen = false;
    for (const AxisTraffic& one : made->traffic) {
      EXPECT_DOUBLE_EQ(one.scaled_count, one.original_count);
      if (one.axis != "dp" || one.type == "all_reduce") continue;
      seen = true;
      const bool gather = one.type == "all_gather";
      const double shrinks = (1 / 2.0) / (7 / 8.0);  // (n - 1)/n of the buffer
      const double expected = keep == ScaleInvariant::volume             ? 1
                              : keep == ScaleInvariant::stated && gather ? 1 / 7.0
                                                                         : shrinks;
      EXPECT_NEAR(one.scaled_sent / one.original_sent, expected, 1e-6)
          << config::enum_name(keep) << one.type;
    }
    EXPECT_TRUE(seen);
  }
}

TEST_F(ScaleDownJobs, WhatCannotBeIsRefused) {
  const std::string prefix =
      traces("big", "h100-sxm:16",
             with(kSmall, {"parallel.tp=2", "parallel.pp=4", "parallel.dp=2", "batch.global=16"}));
  const auto error = [&](auto change) {
    ScaleDownQuestion question;
    question.base.workload = prefix;
    question.base.cluster = "h100-sxm:16";
    change(question);
    Watch watch;
    const auto made = scale_down(question, watch);
    EXPECT_FALSE(made.has_value());
    return made ? Errc::output_failed : made.error().code;
  };
  for (const char* ranks :
       {"0", "7", "17", "dp=3", "pp=1", "pp=5", "ep=2", "dp", "dp=", "many", "tp=2,dp=0", "dp=1,,"})
    EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.ranks = ranks; }), Errc::usage) << ranks;
  for (const double batch : {0.0, -1.0, 0.3, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.batch = {batch}; }), Errc::usage) << batch;
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.ranks = "3"; }), Errc::config_conflict);
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.layers = 0; }), Errc::usage);
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.layers = 7; }), Errc::usage);
  for (const auto& [kind, code] : {std::pair{"interleaved", Errc::input_unsupported},
                                   std::pair{"zb_v", Errc::input_mismatch}}) {
    const std::string parts =
        traces("parts", "h100-sxm:16",
               with(kSmall, {"parallel.pp=4", "schedule.chunks=2", "batch.global=32",
                             fmt::format("schedule.kind={}", kind)}));
    EXPECT_EQ(error([&](ScaleDownQuestion& one) {
                one.base.workload = parts;
                one.ranks = "pp=2";
              }),
              code)
        << kind;
  }
  EXPECT_EQ(error([&](ScaleDownQuestion& one) { one.base.cluster = ""; }),
            Errc::input_unsupported);  // nothing in it has a time
}

}  // namespace
}  // namespace orrery::study

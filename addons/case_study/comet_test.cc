// SPDX-License-Identifier: Apache-2.0
//
// What is said of COMET's results in words, of our runs (docs/case-studies/comet.md). The claims
// are its abstract's, or remembered of it; the clusters, the batch and the efficiency are
// ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "addons/case_study/published_comparison.h"

namespace orrery::case_study {
namespace {

CaseStudy study_called(const std::string& name) {
  auto read = read_case_study(name);
  EXPECT_TRUE(read) << to_string(read.error());
  return *std::move(read);
}

/// The study with those of its runs that are at the place, simulated.
struct Ran {
  CaseStudy study;
  std::vector<RunResult> answers;
  CaseTable table;

  [[nodiscard]] double value(std::size_t run, RunMetric metric) const {
    return answers[run].values[metric];
  }
  /// Of the only run at the place.
  [[nodiscard]] double at(const RunFilter& place, RunMetric metric) const {
    for (std::size_t i = 0; i < study.runs.size(); ++i)
      if (is_at(study.space, study.runs[i].at, place)) return value(i, metric);
    ADD_FAILURE() << "there is no such run";
    return kNone;
  }
  /// The choice along `axis` that is best in the row of that memory; empty: nothing fits.
  [[nodiscard]] std::string best(const std::string& memory, const std::string& axis) const {
    for (const BestChoice& row : table.best)
      if (row.memory == memory && row.run)
        for (std::size_t a = 0; a < study.space.axes.size(); ++a)
          if (study.space.axes[a].name == axis) return study.runs[*row.run].at[a];
    return "";
  }
};

RunFilter place(std::vector<std::pair<std::string, std::vector<std::string>>> at) {
  return RunFilter{std::move(at)};
}

Ran run(const std::string& name, const RunFilter& where) {
  Ran made{study_called(name), {}, {}};
  std::erase_if(made.study.runs,
                [&](const GridRun& one) { return !is_at(made.study.space, one.at, where); });
  auto answers = evaluate_runs(made.study.space, made.study.runs, {});
  EXPECT_TRUE(answers) << to_string(answers.error());
  made.answers = std::move(answers->runs);
  for (const RunResult& one : made.answers) EXPECT_FALSE(one.error) << to_string(*one.error);
  made.table = fill_case_table(made.study, made.answers);
  return made;
}

RunFilter plan(const std::string& name) { return place({{"MPxDP", {name}}}); }

// Remembered of the paper: MP 64 x DP 16 is the quickest plan that fits 80 GB under ZeRO-2, and
// MP 8 x DP 128 needs 250 to 300 GB.
TEST(Comet, WhatFitsUnderZero2) {
  const Ran ran = run("comet-footprint", place({{"sharding", {"ZeRO-2"}}}));
  EXPECT_EQ(ran.best("", "MPxDP"), "64x16");
  EXPECT_LT(ran.at(plan("64x16"), RunMetric::needed), 80e9);
  EXPECT_GT(ran.at(plan("32x32"), RunMetric::needed), 80e9);
  EXPECT_GT(ran.at(plan("8x128"), RunMetric::needed), 250e9);
  EXPECT_LT(ran.at(plan("8x128"), RunMetric::needed), 300e9);
  for (std::size_t i = 1; i < ran.study.runs.size(); ++i)
    EXPECT_LT(ran.value(i, RunMetric::needed), ran.value(i - 1, RunMetric::needed))
        << "the more tensors are cut, the less is held";
}

// By formula: 2 bytes a weight, 2 a gradient, 12 of state; whatever is shared out over DP.
TEST(Comet, WhatIsHeldIsAsTheFormulaHasIt) {
  const Ran ran = run("comet-footprint", place({{"MPxDP", {"8x128"}}}));
  const auto held = [&](const char* sharding, RunMetric metric) {
    return ran.at(place({{"sharding", {sharding}}}), metric);
  };
  const double weights = 1.008e12 / 8;
  constexpr double kDp = 128, kOff = 0.02;
  for (const char* const sharding : {"none", "ZeRO-1", "ZeRO-2"})
    EXPECT_NEAR(held(sharding, RunMetric::weights) / (2 * weights), 1, kOff) << sharding;
  EXPECT_NEAR(held("none", RunMetric::optimizer) / (12 * weights), 1, kOff);
  EXPECT_NEAR(held("ZeRO-2", RunMetric::optimizer) / (12 * weights / kDp), 1, kOff);
  EXPECT_NEAR(held("ZeRO-1", RunMetric::gradients) / (2 * weights), 1, kOff);
  EXPECT_NEAR(held("ZeRO-2", RunMetric::gradients) / (2 * weights / kDp), 1, kOff);
  EXPECT_NEAR(held("ZeRO-3", RunMetric::weights) / (2 * weights / kDp), 1, kOff);
}

// The abstract: memory wins up to 1.4 times. Plans of low MP win once there is memory for them.
TEST(Comet, LowMpWinsWithMemoryBeside) {
  const Ran quick = run("comet-memory", place({{"expansion", {"2039 GB/s"}}}));
  EXPECT_EQ(quick.best("80 GB", "MPxDP"), "64x16");
  EXPECT_EQ(quick.best("160 GB", "MPxDP"), "16x64");
  EXPECT_EQ(quick.best("320 GB", "MPxDP"), "8x128");
  EXPECT_EQ(quick.best("640 GB", "MPxDP"), "4x256");
  double last = 0;
  for (const BestChoice& row : quick.table.best) {
    EXPECT_GE(row.ratio, last) << "more memory is no loss";
    last = row.ratio;
  }
  EXPECT_GT(last, 1.2);
  EXPECT_LT(last, 1.4);
  const Ran slow = run("comet-memory", place({{"expansion", {"100 GB/s"}}}));
  EXPECT_EQ(slow.best("1280 GB", "MPxDP"), "8x128") << "remembered as the best of the paper";
  const Ran slowest = run("comet-memory", place({{"expansion", {"25 GB/s"}}}));
  EXPECT_EQ(slowest.best("1280 GB", "MPxDP"), "64x16") << "and then it pays no more";
}

TEST(Comet, TensorsTalkMoreTheMoreTheyAreCut) {
  const Ran ran = run("comet", {});
  for (std::size_t i = 0; i < ran.study.runs.size(); ++i) {
    EXPECT_NEAR(ran.value(i, RunMetric::exposed_tensor) + ran.value(i, RunMetric::exposed_data),
                ran.value(i, RunMetric::exposed), 1e9)
        << "there is no other rank";
    if (i < 3) continue;  // within a pod, where data parallel ranks are on their way, too
    EXPECT_GT(ran.value(i, RunMetric::exposed_tensor), ran.value(i - 1, RunMetric::exposed_tensor));
    EXPECT_LT(ran.value(i, RunMetric::exposed_data), ran.value(i - 1, RunMetric::exposed_data));
  }
}

double gain_by_memory(const Ran& ran, const std::string& axis, const std::string& choice) {
  const auto time = [&](const char* plan) {
    return ran.at(place({{axis, {choice}}, {"MPxDP", {plan}}}), RunMetric::time);
  };
  return time("64x16") / time("4x256");
}

// Memory is there against communication: it is worth more the quicker devices are, and less the
// quicker links are.
TEST(Comet, QuickDevicesNeedMemoryAndQuickLinksDoNot) {
  const Ran compute = run(
      "comet-compute", place({{"compute", {"0.25x", "1x", "4x"}}, {"MPxDP", {"4x256", "64x16"}}}));
  EXPECT_LT(gain_by_memory(compute, "compute", "0.25x"), gain_by_memory(compute, "compute", "1x"));
  EXPECT_LT(gain_by_memory(compute, "compute", "1x"), gain_by_memory(compute, "compute", "4x"));
  const std::string links = "inside/outside";
  const Ran network =
      run("comet-bandwidth",
          place({{links, {"150/15.625", "300/31.25", "1200/125"}}, {"MPxDP", {"4x256", "64x16"}}}));
  EXPECT_GT(gain_by_memory(network, links, "150/15.625"),
            gain_by_memory(network, links, "300/31.25"));
  EXPECT_GT(gain_by_memory(network, links, "300/31.25"),
            gain_by_memory(network, links, "1200/125"));
}

// Recalled from the paper: memory expansion lets the DLRM run on a half to an eighth of the
// nodes.
TEST(Comet, ARecommenderRunsOnFewerNodes) {
  const Ran quick = run("comet-dlrm", place({{"expansion", {"1000 GB/s"}}}));
  EXPECT_EQ(quick.best("80 GB", "nodes"), "64") << "what its tables need without";
  EXPECT_EQ(quick.best("160 GB", "nodes"), "32");
  EXPECT_EQ(quick.best("640 GB", "nodes"), "8") << "by the time of all nodes together";
  const Ran slow = run("comet-dlrm", place({{"expansion", {"250 GB/s"}}}));
  EXPECT_EQ(slow.best("640 GB", "nodes"), "64") << "lookups wait for memory";
}

}  // namespace
}  // namespace orrery::case_study

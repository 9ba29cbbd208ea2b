// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/evaluate_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "addons/case_study/case_study_testing.h"
#include "addons/case_study/published_comparison.h"
#include "addons/case_study/simulation_run.h"

namespace orrery::case_study {
namespace {

namespace fs = std::filesystem;

CaseStudy small(const std::string& more = "") {
  auto study = parse_case_study(small_study(more), "small.yaml");
  EXPECT_TRUE(study) << to_string(study.error());
  return *std::move(study);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class AnswerAll : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "orrery_space_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = (folder_ / "results.jsonl").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunResults ask(const CaseStudy& study, std::uint32_t threads = 1) {
    auto answers = evaluate_runs(study.space, study.runs, {threads, file_});
    EXPECT_TRUE(answers) << to_string(answers.error());
    return *std::move(answers);
  }

  fs::path folder_;
  std::string file_;
};

// 2 (n - 1) / n of the bytes at 50 GB/s, by a ring as by halving and doubling.
TEST_F(AnswerAll, FiguresAreThoseOfTheFormula) {
  const CaseStudy study = small();
  const RunResults answers = ask(study);
  for (std::size_t i = 0; i < 4; ++i) {
    const double bytes = i % 2 == 0 ? 8e6 : 16e6;
    const MetricValues& values = answers.runs[i].values;
    EXPECT_NEAR(values[RunMetric::time] * 1e-12, 1.75 * bytes / 50e9, 1e-9) << i;
    EXPECT_DOUBLE_EQ(values[RunMetric::sent], 1.75 * bytes);
    EXPECT_NEAR(values[RunMetric::utilization], 1, 1e-4);
    EXPECT_NEAR(values[RunMetric::bus_bandwidth], 50e9, 1e7);
    EXPECT_EQ(values[RunMetric::exposed], values[RunMetric::time]);
    EXPECT_TRUE(std::isnan(values[RunMetric::peak_memory])) << "there is no job";
  }
  const CaseTable table = fill_case_table(study, answers.runs);
  EXPECT_NEAR(table.cells[0][1], 2, 1e-3) << "the large one takes twice as long";
  EXPECT_EQ(table.cells[1][1], 1);
}

TEST_F(AnswerAll, TheSameBytesForAnyNumberOfThreads) {
  const CaseStudy study = small();
  (void)ask(study, 1);
  const std::string one = read(file_);
  fs::remove(file_);
  (void)ask(study, 2);
  EXPECT_EQ(read(file_), one);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 4);
}

TEST_F(AnswerAll, GoesOnWhereItWasBrokenOff) {
  const CaseStudy study = small();
  EXPECT_EQ(ask(study).simulated, 4u);
  const std::string whole = read(file_);
  EXPECT_EQ(ask(study).simulated, 0u) << "all is known";
  EXPECT_EQ(read(file_), whole);
  const std::size_t second = whole.find('\n', whole.find('\n') + 1) + 1;
  write(file_, whole.substr(0, second + 100));  // in the middle of the third line
  EXPECT_EQ(ask(study).simulated, 2u);
  EXPECT_EQ(read(file_), whole);
}

TEST_F(AnswerAll, LinesThatNobodyHereWroteArePassedOver) {
  const CaseStudy study = small();
  (void)ask(study);
  const std::string whole = read(file_);
  write(file_, "no JSON\n[1]\n{\"digest\": 3}\n{\"digest\": \"" + std::string(64, 'a') +
                   "\", \"values\": {\"time\": \"long\"}, \"findings\": []}\n\n" + whole);
  EXPECT_EQ(ask(study).simulated, 0u);
  EXPECT_EQ(read(file_), whole) << "and are gone";
}

// What is kept is true of what was asked, and of nothing else.
TEST_F(AnswerAll, AnotherQuestionIsAskedAgain) {
  (void)ask(small());
  CaseStudy other = small();
  other.runs[2].cluster["network"][0]["bandwidth"] = "51 GB/s";
  EXPECT_NE(digest(other.runs[2]), digest(small().runs[2]));
  EXPECT_EQ(ask(other).simulated, 1u);
}

TEST_F(AnswerAll, ARunThatCannotBeIsToldAndAskedAgain) {
  CaseStudy study = small();
  study.runs[1].collective["group"] = 3;
  const RunResults answers = ask(study);
  ASSERT_TRUE(answers.runs[1].error);
  EXPECT_EQ(to_string(*answers.runs[1].error),
            "small.yaml:/collective/group: 8 ranks are not a multiple of the group size 3 (in the "
            "run block: ring, size: large) (E1008)");
  EXPECT_FALSE(answers.runs[0].error);
  EXPECT_EQ(ask(study).simulated, 1u);
  const CaseTable table = fill_case_table(study, answers.runs);
  EXPECT_TRUE(std::isnan(table.cells[1][0]));
  EXPECT_TRUE(std::isnan(table.cells[0][1])) << "nothing to compare with";
}

TEST_F(AnswerAll, GroupsDoItAtOnce) {
  CaseStudy study = small();
  for (GridRun& run : study.runs) run.collective["group"] = 2;
  const RunResults answers = ask(study);
  EXPECT_NEAR(answers.runs[2].values[RunMetric::time] * 1e-12, 8e6 / 50e9, 1e-9);
}

TEST_F(AnswerAll, JobsHaveMemoryAndSpeed) {
  const auto study = parse_case_study(
      "title: t\ncluster: {device: {peak: 100 TFLOP/s, memory_bandwidth: 2 TB/s}, network: "
      "[{block: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}]}\njob: {model: gpt2, "
      "parallel: {dp: 4}}\ncolumns: [{metric: time}]\n",
      "job.yaml");
  ASSERT_TRUE(study) << to_string(study.error());
  const RunResults answers = ask(*study);
  ASSERT_FALSE(answers.runs[0].error) << to_string(*answers.runs[0].error);
  const MetricValues& values = answers.runs[0].values;
  EXPECT_GT(values[RunMetric::peak_memory], 1e9);
  EXPECT_GT(values[RunMetric::flops], 1e12);
  EXPECT_LT(values[RunMetric::flops], 100e12);
  EXPECT_GT(values[RunMetric::compute], 0);
  EXPECT_FALSE(values.findings.empty()) << "batch and sequence were left open";
}

TEST_F(AnswerAll, PublishedFiguresStandBesideOurs) {
  const std::string figure = "  - {what: w, mark: notes, source: s, column: times, ";
  const CaseStudy study =
      small("published:\n" + figure + "of: most, value: '1.6'}\n" + figure +
            "of: mean, value: '2', runs: {block: ring}}\n" + figure + "of: least, value: '1'}\n" +
            figure + "value: '4', runs: {block: ring, size: small}}\n" +
            "  - {what: w, mark: notes, source: s, value: many, why_not: no}\n");
  const CaseTable table = fill_case_table(study, ask(study).runs);
  ASSERT_EQ(table.comparisons.size(), 5u);
  EXPECT_NEAR(table.comparisons[0].predicted, 2, 1e-3);
  EXPECT_NEAR(table.comparisons[0].difference(), 0.25, 1e-3);
  EXPECT_NEAR(table.comparisons[1].predicted, 1.5, 1e-3);
  EXPECT_EQ(table.comparisons[1].run, "mean of 2 runs");
  EXPECT_EQ(table.comparisons[2].predicted, 1);
  EXPECT_NEAR(table.comparisons[3].difference(), -0.5, 1e-3);
  EXPECT_EQ(table.comparisons[3].run, "block: ring, size: small");
  EXPECT_TRUE(std::isnan(table.comparisons[4].predicted));
}

TEST_F(AnswerAll, TheRunBesideMayDependOnTheRun) {
  const CaseStudy study = small("  - {metric: time, title: other, over: {size: {small: large}}}\n");
  const CaseTable table = fill_case_table(study, ask(study).runs);
  EXPECT_NEAR(table.cells[0][2], 2, 1e-3);
  EXPECT_TRUE(std::isnan(table.cells[1][2])) << "nothing is said of large ones";
}

TEST(Metrics, FiguresAreWrittenAndRead) {
  EXPECT_EQ(format(35005902144, Unit::time, "us", 3), "35005.902 us");
  EXPECT_EQ(format(35005902144, Unit::time, "", 3), "35.01 ms");
  EXPECT_EQ(format(0.9789, Unit::share, "", 1), "97.9 %");
  EXPECT_EQ(format(1.9357, Unit::ratio, "", 3), "1.936");
  EXPECT_EQ(format(kNone, Unit::time, "us", 3), "-");
  EXPECT_EQ(*parse("97.59 %", Unit::share, ""), 0.9759);
  EXPECT_EQ(*parse("0.5", Unit::share, ""), 0.5);
  EXPECT_EQ(*parse("35008.129 us", Unit::time, ""), 35008129000);
  EXPECT_FALSE(parse("35008.129", Unit::time, "x"));
  for (const RunMetricInfo& metric : metrics()) EXPECT_EQ(metric_named(metric.name), metric.metric);
}

// What a run reads counts by its content: the fabric of all runs, and the models of the build.
TEST_F(AnswerAll, StoredRunsWhoseInputsChangedAreComputedAgain) {
  const fs::path& folder = folder_;
  const auto fabric = [&](const char* rate) {
    std::string text = "9 1 8\n8\n";
    for (int i = 0; i < 8; ++i) text += fmt::format("{} 8 {} 0.001ms 0\n", i, rate);
    write((folder / "f.txt").string(), text);
  };
  const std::string text =
      "title: stored\ncluster: {device: h100-sxm, collectives: {library: ideal}, fabric: {file: "
      "f.txt}}\ncollective: {type: all_reduce}\naxes: [{name: size, choices: [{name: small, "
      "collective: {size: 8 MB}}, {name: large, collective: {size: 16 MB}}]}]\ncolumns: [{metric: "
      "time}]\n";
  const auto study = parse_case_study(text, (folder / "study.yaml").string());
  ASSERT_TRUE(study) << to_string(study.error());
  const std::string file = (folder / "runs.jsonl").string();
  const auto ask = [&] {
    auto answers = evaluate_runs(study->space, study->runs, {1, file});
    EXPECT_TRUE(answers) << to_string(answers.error());
    return *std::move(answers);
  };
  fabric("400Gbps");
  const RunResults first = ask();
  ASSERT_FALSE(first.runs[0].error) << to_string(*first.runs[0].error);
  EXPECT_EQ(first.simulated, 2U);
  EXPECT_EQ(first.out_of_date, 0U);
  fabric("400Gbps");
  EXPECT_EQ(ask().simulated, 0U);
  fabric("40Gbps");
  const RunResults again = ask();
  EXPECT_EQ(again.simulated, 2U);
  EXPECT_EQ(again.out_of_date, 2U);
  EXPECT_GT(again.runs[0].values[RunMetric::time], 5 * first.runs[0].values[RunMetric::time]);
  std::string stored = read(file);
  const std::string models(models_hash());
  stored.replace(stored.find(models), models.size(), "0123456789abcdef");
  write(file, stored);
  EXPECT_EQ(ask().out_of_date, 1U);
}

}  // namespace
}  // namespace orrery::case_study

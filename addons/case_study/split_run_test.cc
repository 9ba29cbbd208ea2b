// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/split_run.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"
#include "addons/case_study/published_comparison.h"

namespace orrery::case_study {
namespace {

using testing::HasSubstr;

std::string split_study(const std::string& more) {
  return R"(title: small
columns: [{metric: bandwidth_0}, {metric: bandwidth_1}, {metric: gain}]
split:
  total: 100 GB/s
  dimensions: [{size: 2}, {size: 4}]
  jobs:
    - compute: 1 s
      collectives: [{type: all_reduce, size: 9 GB, ranks: 2}]
)" + more;
}

RunResult answer(const std::string& text) {
  const auto study = parse_case_study(text, "small.yaml");
  if (!study) return {study.error(), {}};
  auto answers = evaluate_runs(study->space, study->runs, {1, ""});
  EXPECT_TRUE(answers.has_value());
  return answers->runs.front();
}

std::string why_not(const std::string& text) {
  const RunResult one = answer(text);
  return one.error ? to_string(*one.error) : "it is one";
}

TEST(SplitRun, IsSplitAndTimed) {
  const RunResult one = answer(split_study(
      "        # over the outer dimension, from which each of two ranks has a part\n"
      "    - weight: 2\n"
      "      collectives: [{type: all_gather, size: 4 GB, ranks: 4, stride: 2, times: 3}]\n"));
  ASSERT_FALSE(one.error) << to_string(*one.error);
  // 9 GB inside, 2 x 3 x 3 GB outside: in the proportion 3 to the square root of 18.
  EXPECT_NEAR(one.values[RunMetric::bandwidth_0] / one.values[RunMetric::bandwidth_1],
              3 / std::sqrt(18), 1e-5);
  EXPECT_TRUE(std::isnan(one.values[RunMetric::bandwidth_2]));
  EXPECT_EQ(one.values[RunMetric::compute], 1e12);
  EXPECT_NEAR(one.values[RunMetric::communication] * 1e-12, std::pow(3 + std::sqrt(18), 2) / 100,
              1e-8);
  EXPECT_EQ(one.values[RunMetric::time],
            one.values[RunMetric::compute] + one.values[RunMetric::communication]);
  EXPECT_NEAR(one.values[RunMetric::gain], 27.0 / 50 / (std::pow(3 + std::sqrt(18), 2) / 100),
              1e-6);
  EXPECT_LT(one.values[RunMetric::gap], 1e-8);
}

TEST(SplitRun, SaysWhatIsWrong) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = split_study("");
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THAT(
      why_not(changed("all_reduce", "broadcast")),
      HasSubstr("small.yaml:/split/jobs/0/collectives/0/type: \"broadcast\" is not a collective"));
  EXPECT_THAT(
      why_not(changed("ranks: 2", "ranks: 3")),
      HasSubstr("small.yaml:/split/jobs/0/collectives/0: 3 ranks at distance 1 do not match"));
  EXPECT_THAT(why_not(changed("total: 100 GB/s", "total: 100")), HasSubstr("/split/total"));
  EXPECT_THAT(why_not(changed("size: 9 GB", "size: 0 B")),
              HasSubstr("small.yaml:/split: collectives: the job sends nothing"));
  EXPECT_THAT(why_not(changed("{size: 2}", "{size: 2, least: 200 GB/s}")),
              HasSubstr("small.yaml:/split: dimension 0: must have at least 200 GB/s"));
  EXPECT_THAT(why_not(changed("{size: 2}", "{size: 2, prize: 1}")), HasSubstr("prize"));
  EXPECT_THAT(why_not(split_study("job: {model: gpt3-175b}\n")),
              HasSubstr("has more than one of a job, a collective, a split and calculon"));
}

// Each published bandwidth, by the digits but where its cause says why not.
TEST(SplitRun, LibrasPointsComeOut) {
  const auto study = read_case_study("libra");
  ASSERT_TRUE(study.has_value()) << to_string(study.error());
  const auto answers = evaluate_runs(study->space, study->runs, {1, ""});
  ASSERT_TRUE(answers.has_value());
  const CaseTable table = fill_case_table(*study, answers->runs);
  ASSERT_EQ(table.comparisons.size(), 53u);
  for (const PublishedComparison& one : table.comparisons) {
    const std::string& what = one.figure->what;
    const bool restless = what.starts_with("17B");  // see the causes in the study
    const bool flat = restless || what.starts_with("175B");
    const double upper =
        what.find("cost") == std::string::npos ? (restless ? 0.04 : 0.0101) : (flat ? 0.3 : 0.012);
    EXPECT_NEAR(one.predicted * 1e-9, one.published * 1e-9, upper) << what;
  }
  for (const RunResult& one : answers->runs) EXPECT_LT(one.values[RunMetric::gap], 1e-8);
}

}  // namespace
}  // namespace orrery::case_study

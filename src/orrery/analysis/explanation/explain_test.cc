// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/explanation/explain.h"

#include <gtest/gtest.h>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/metric_table.h"
#include "orrery/analysis/toy_run_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::analysis {
namespace {

using namespace testing;

std::string figure_of(const Explanation& made, std::string_view label) {
  for (const auto& [name, text] : made.figures) {
    if (name == label) return text;
  }
  return "(none)";
}

std::string all_text(const Explanation& made) {
  std::string text = made.title + "\n";
  for (const std::string& paragraph : made.paragraphs) text += paragraph + "\n";
  return text;
}

bool says(const Explanation& made, std::string_view words) {
  return all_text(made).find(words) != std::string::npos;
}

TEST(Explain, EveryMetricWithAndWithoutARun) {
  result::Run tokens = result::testing::sample_run(4, 2);
  tokens.work = {.tokens = 4096, .samples = 2, .model_flops = 1e9, .hardware_flops = 2e9};
  tokens.manifest.emplace_back(kWorkByFormat, "fp8 1e9 2e9 9e15");
  result::Run run = tokens;
  run.work->tokens = 0;
  for (const std::string_view name : metric_names()) {
    const auto alone = explain_metric(name);
    ASSERT_TRUE(alone.has_value()) << name;
    EXPECT_TRUE(alone->figures.empty());
    EXPECT_GE(alone->paragraphs.size(), 2u) << name;
    const auto made = explain(name.starts_with("tokens") ? tokens : run, name);
    ASSERT_TRUE(made.has_value()) << name;
    EXPECT_EQ(made->figures.empty(), find_metric(name)->of_searches) << name;
    EXPECT_EQ(explain(result::Run(), name)->title, alone->title);
  }
  EXPECT_TRUE(explain(run, " exposed-comm ").has_value());
  const auto made = explain(run, "exposed_comm");
  EXPECT_EQ(figure_of(*made, "exposed communication"), "17.5 us (46.1 %)");
  EXPECT_EQ(figure_of(*made, "most"), "18 us (rank 0)");
  EXPECT_EQ(figure_of(*made, "least"), "16 us (rank 1)");
  EXPECT_TRUE(says(*explain(result::Run(), "mfu"), "no data to compute it from"));
}

TEST(Explain, ANode) {
  const result::Run run = result::testing::sample_run(4, 2);
  const auto slow = explain(run, "rank 1 node 1");
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->title, "Rank 1 node 1 \"matmul\"");
  EXPECT_TRUE(says(*slow, "It waited for nothing")) << all_text(*slow);
  EXPECT_TRUE(says(*slow, "It lasted 11 us: 11 us of recorded work.")) << all_text(*slow);
  EXPECT_TRUE(says(*slow, "It is on the critical path")) << all_text(*slow);
  EXPECT_EQ(figure_of(*slow, "operations"), "1,000,000");
  const auto quick = explain(run, "rank 0 node 1");
  EXPECT_TRUE(says(*quick, "it can end up to 1 us later without a later end of the step"))
      << all_text(*quick);
  const auto join = explain(run, "node 2");
  ASSERT_TRUE(join.has_value());
  EXPECT_TRUE(says(*join, "Rank 0 node 2")) << "of equally slow ranks the lowest";
  EXPECT_TRUE(says(
      *join, "It started when the last node it depends on ended: node 1 \"matmul\", at 10 us."))
      << all_text(*join);
  EXPECT_TRUE(says(*join,
                   "It lasted 7 us: 1 us waiting until rank 1, the last member, arrived, 1 us for "
                   "hops and end points and 5 us transferring bytes."))
      << all_text(*join);
  EXPECT_EQ(figure_of(*join, "collective"), "0");
  const auto receive = explain(run, "rank 2 node 4");
  EXPECT_EQ(figure_of(*receive, "peer"), "rank 1 node 3 \"send\"");
}

TEST(Explain, ANodeThatWaitedForItsLane) {
  result::Run run = result::testing::sample_run(1, 2);
  run.timelines[0].spans[4].release = result::Release::resource;
  const auto made = explain(run, "node 5");
  EXPECT_TRUE(says(*made, "It started when its compute lane became free: node 4 \"receive\" ended"))
      << all_text(*made);
}

TEST(Explain, ACollective) {
  const result::Run run = result::testing::sample_run(4, 2);
  const auto made = explain(run, "collective 1");
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(says(*made, "4 ranks of all ranks took part.")) << all_text(*made);
  EXPECT_TRUE(says(*made, "the last, rank 1, 1 us later. 3 ranks waited for it, 3 us in total"))
      << all_text(*made);
  EXPECT_TRUE(
      says(*made, "From then on it lasted 6 us: 682.7 MB/s algorithm bandwidth, 1.024 GB/s bus"))
      << all_text(*made);
  EXPECT_TRUE(says(
      *made,
      "on dimension 0, is 3 us; it lasted 3 us longer: 1 us for hops and end points, 2 us because"))
      << all_text(*made);
  EXPECT_EQ(figure_of(*made, "share of bound"), "50.0 %");
  result::Run replayed = run;
  replayed.collectives[0].joined = false;
  EXPECT_TRUE(says(*explain(replayed, "collective 0"), "did not wait for each other"));
  replayed.collectives[0].end.reset();
  EXPECT_TRUE(says(*explain(replayed, "collective 0"), "It never ended."));
}

TEST(Explain, AName) {
  const result::Run run = result::testing::sample_run(4, 2);
  const auto made = explain(run, "matmul");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->title, "Nodes named \"matmul\"");
  EXPECT_TRUE(says(*made, "8 nodes ran with the name \"matmul\", 82 us in total; 22 us (57.9 %)"))
      << all_text(*made);
  EXPECT_TRUE(says(*made, "The longest is node 1 at rank 1:"));
  EXPECT_EQ(figure_of(*made, "different ids"), "2");
}

TEST(Explain, WhatIsNotThere) {
  const result::Run run = result::testing::sample_run(4, 2);
  const auto hint = [&](std::string_view what) {
    const auto made = explain(run, what);
    EXPECT_FALSE(made.has_value()) << what;
    EXPECT_EQ(made.error().code, Errc::usage);
    return made.error().what + " | " + made.error().hint;
  };
  EXPECT_EQ(
      hint("exposed_com"),
      "neither a metric nor a node or collective of this run | did you mean \"exposed_comm\"?");
  EXPECT_EQ(hint("matmull"),
            "neither a metric nor a node or collective of this run | did you mean \"matmul\"?");
  EXPECT_EQ(hint("rank 9 node 1"), "rank 9 does not exist: the run has 4 ranks | ");
  EXPECT_EQ(hint("rank 1 node 99"), "rank 1 has no node 99 that ran | ");
  EXPECT_EQ(hint("node 99"), "no rank has a node 99 that ran | ");
  EXPECT_EQ(hint("collective 7"),
            "collective 7 does not exist: collectives are numbered 0 to 1 | ");
  EXPECT_NE(hint("node 99999999999999999999999").find("\"rank R node N\""), std::string::npos);
  EXPECT_NE(hint("").find("metrics: step"), std::string::npos);
  EXPECT_FALSE(explain_metric("stepp").has_value());
  EXPECT_FALSE(explain(result::Run(), "collective 0").has_value());
  result::Run few = run;
  few.spans = result::SpanChoice::none;
  for (auto& line : few.timelines) line.spans.clear();
  EXPECT_EQ(explain(few, "node 1").error().hint, "the run file contains no spans (--spans none)");
}

TEST(Explain, AStalledRun) {
  result::Run run = result::testing::sample_run(2, 1);
  run.stalled = true;
  run.ranks[1].finish.reset();
  run.timelines[1].spans[0].slack.reset();
  run.timelines[1].spans[0].critical = false;
  const auto made = explain(run, "node 1");
  EXPECT_EQ(made->title, "Rank 1 node 1 \"matmul\"") << "never finished is slowest";
  EXPECT_TRUE(says(*made, "The run stalled"));
}

}  // namespace
}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
//
// The timeline of a served stream, read by Perfetto's rules.
#include "orrery/study/serving/service_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "perfetto_viewer.h"

namespace orrery::oracle {
namespace {

TEST(ServiceTimeline, ShowsEachStepAndRequestOnce) {
  study::InferQuestion question;
  question.model = "llama-3.1-8b";
  question.instances = 2;
  question.load.rate = 60;
  question.load.num_prompts = 80;
  Findings findings;
  const auto made = study::infer(question, findings);
  ASSERT_TRUE(made) << to_string(made.error());
  std::string bytes;
  ASSERT_TRUE(study::write_service_timeline(*made, [&](std::string_view piece) {
    bytes += piece;
    return true;
  }));
  const View shown = view(bytes);
  EXPECT_TRUE(shown.problems.empty()) << shown.problems.front();

  std::map<std::string, std::size_t> steps;
  std::map<std::string, std::uint64_t> ends;  // of each request
  for (const Slice& slice : shown.slices) {
    EXPECT_EQ(slice.depth, 0u) << slice.track;
    if (slice.track == "steps")
      ++steps[slice.process];
    else
      ends[slice.text("request")] = std::max(ends[slice.text("request")], slice.end);
  }
  ASSERT_EQ(made->run.steps.size(), 2u);
  EXPECT_EQ(steps["instance 0"], made->run.steps[0].size());
  EXPECT_EQ(steps["instance 1"], made->run.steps[1].size());
  ASSERT_EQ(ends.size(), 80u);
  for (std::size_t i = 0; i < 80; ++i)
    EXPECT_NEAR(static_cast<double>(ends[std::to_string(i)]),
                static_cast<double>(made->run.times[i].last_token.count()) / 1000, 1)
        << i;
  ASSERT_EQ(shown.counters.size(), 6u);
  for (const Counter& counter : shown.counters) {
    const auto& of_instance = made->run.steps[counter.process == "instance 0" ? 0 : 1];
    ASSERT_EQ(counter.points.size(), of_instance.size() + 1);
    EXPECT_EQ(counter.points.back().second, 0);
    const serving::StepRecord& fourth = of_instance[3];
    EXPECT_EQ(counter.points[3].second, counter.name == "cache"     ? fourth.held_blocks
                                        : counter.name == "running" ? fourth.running
                                                                    : fourth.waiting);
  }
}

TEST(ServiceTimeline, StopsWhenTheSinkRefuses) {
  study::InferQuestion question;
  question.model = "llama-3.1-8b";
  question.load.num_prompts = 2;
  Findings findings;
  const auto made = study::infer(question, findings);
  ASSERT_TRUE(made);
  EXPECT_FALSE(study::write_service_timeline(*made, [](std::string_view) { return false; }));
}

}  // namespace
}  // namespace orrery::oracle

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_database.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::result {
namespace {

using testing::difference;
using testing::sample_run;

bool wanted(const Span& span) { return span.critical || span.slack == Time{}; }

TEST(KeepSpans, AllLeavesEverything) {
  auto run = sample_run();
  filter_spans(run, SpanChoice::all);
  EXPECT_EQ(difference(run, sample_run()), "");
}

TEST(KeepSpans, CriticalKeepsThePathAndWhatHasNoSlack) {
  const auto before = sample_run(4, 3);
  auto run = before;
  filter_spans(run, SpanChoice::critical);
  EXPECT_EQ(run.spans, SpanChoice::critical);
  // The slow rank has no slack anywhere; at the others, only the computations have some.
  EXPECT_EQ(run.timelines[1],
            before.timelines[1].spans.size() == 12 ? run.timelines[1] : before.timelines[1]);
  EXPECT_EQ(run.timelines[1].spans.size(), 12u);
  EXPECT_EQ(run.timelines[0].spans.size(), 9u);
  // The all-reduce of rank 0 was released by a computation that is gone; the send by the
  // all-reduce, which is span 0 now.
  EXPECT_EQ(run.timelines[0].spans[0].released_by, kNone);
  EXPECT_EQ(run.timelines[0].spans[1].released_by, 0u);
  // Rank 0 sends to rank 1, where all spans are; rank 3 sends to rank 0.
  EXPECT_EQ(run.timelines[0].spans[1].peer_span, 3u);
  EXPECT_EQ(run.timelines[3].spans[1].peer_span, 2u);
  for (std::size_t i = 0; i < run.path.size(); ++i) {
    const PathSegment &now = run.path[i], &then = before.path[i];
    EXPECT_EQ(run.timeline(now.rank).spans[now.span].node,
              before.timeline(then.rank).spans[then.span].node);
  }
  for (std::size_t i = 0; i < run.collectives.size(); ++i) {
    const Collective &now = run.collectives[i], &then = before.collectives[i];
    EXPECT_EQ(run.timeline(now.last_rank).spans[now.last_span].node,
              before.timeline(then.last_rank).spans[then.last_span].node);
  }
}

TEST(KeepSpans, NoneKeepsTheFigures) {
  const auto before = sample_run();
  auto run = before;
  filter_spans(run, SpanChoice::none);
  for (const Timeline& line : run.timelines) {
    EXPECT_TRUE(line.spans.empty());
    EXPECT_TRUE(line.lanes.empty());
  }
  EXPECT_EQ(run.ranks, before.ranks);
  EXPECT_EQ(run.path.size(), before.path.size());
  EXPECT_EQ(run.path[3].span, kNone);
  EXPECT_EQ(run.collectives[1].last_span, kNone);
  // What is gone does not come back.
  filter_spans(run, SpanChoice::critical);
  EXPECT_EQ(run.spans, SpanChoice::none);
}

// Ranks 0 and 1 share a timeline; their peers do not, and lose different spans.
TEST(KeepSpans, APeerThatIsAmbiguousIsForgotten) {
  auto run = sample_run(3, 1);
  run.ranks[1].timeline = 0;
  run.ranks[2].timeline = 1;
  run.timelines.pop_back();
  run.path.clear();
  run.collectives.clear();
  run.groups[0].count = 0;
  for (Timeline& line : run.timelines) {
    for (Span& span : line.spans) {
      span.critical = true;
      if (span.kind == SpanKind::collective) span.group = kNone, span.kind = SpanKind::compute;
    }
  }
  run.timelines[1].spans[0].critical = false;
  run.timelines[1].spans[0].slack = us(1);
  ASSERT_TRUE(check_run(run));
  filter_spans(run, SpanChoice::critical);
  ASSERT_TRUE(check_run(run));
  // Rank 0's peer is rank 1, rank 1's is rank 2: their receives are spans 3 and 2 now.
  EXPECT_EQ(run.timelines[0].spans[2].peer_span, kNone);
  EXPECT_EQ(run.timelines[1].spans[1].peer_span, 3u);
}

RC_GTEST_PROP(KeepSpans, WhatIsLeftFitsTogether, (std::uint64_t seed, bool critical)) {
  const auto before = testing::RandomRun(seed).make();
  auto run = before;
  filter_spans(run, critical ? SpanChoice::critical : SpanChoice::none);
  const Result<void> good = check_run(run);
  if (!good) RC_FAIL(to_string(good.error()));
  for (std::size_t i = 0; i < run.timelines.size(); ++i) {
    if (run.spans != SpanChoice::critical || before.spans != SpanChoice::all) break;
    const auto count = [&](const Run& of) {
      return std::count_if(of.timelines[i].spans.begin(), of.timelines[i].spans.end(), wanted);
    };
    RC_ASSERT(count(run) == count(before));
  }
}

}  // namespace
}  // namespace orrery::result

// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/critical_path/critical_path.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/analysis/toy_run_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::analysis {
namespace {

using namespace testing;
using result::PathCause;
using result::Span;

std::string path_text(const result::Run& run) {
  std::string text;
  for (const auto& segment : run.path) {
    text += "r" + std::to_string(segment.rank) + " n" +
            std::to_string(run.timeline(segment.rank).spans[segment.span].node) + " " +
            std::string(result::name(segment.cause)) + " " +
            std::to_string((segment.end - segment.start).count()) + "; ";
  }
  return text;
}

TEST(CriticalPath, GoesThroughTheLastComerOfACollective) {
  ToyRun toy = make_toy(
      3, {{Round::compute, {5, 9, 7}}, {Round::all_reduce, {4}}, {Round::compute, {3, 1, 2}}});
  find_critical_path(toy.run);
  EXPECT_EQ(path_problem(toy.run), "");
  EXPECT_EQ(path_text(toy.run), "r1 n1 work 9; r0 n2 bandwidth 4; r0 n3 work 3; ");
  EXPECT_TRUE(toy.run.timelines[1].spans[1].critical)
      << "the last comer's span lets the path cross";
  EXPECT_FALSE(toy.run.timelines[2].spans[0].critical);
}

// Nothing was sent: it took its time, as recorded work does.
TEST(CriticalPath, RecordedCommunicationIsWork) {
  result::Run run = result::testing::sample_run(4, 3);
  for (result::Timeline& line : run.timelines)
    for (result::Span& span : line.spans) span.model = TimeSource::recorded;
  find_critical_path(run);
  const PathSummary summary = summarize_path(run, 3);
  EXPECT_GT(summary.by_cause[static_cast<std::size_t>(PathCause::work)], Time{});
  EXPECT_EQ(summary.by_cause[static_cast<std::size_t>(PathCause::bandwidth)], Time{});
}

TEST(CriticalPath, GoesThroughTheSendOfAReceiveThatLasted) {
  ToyRun toy =
      make_toy(2, {{Round::compute, {10, 1}}, {Round::shift, {6, 2}}, {Round::compute, {1, 5}}});
  find_critical_path(toy.run);
  EXPECT_EQ(path_problem(toy.run), "");
  EXPECT_EQ(path_text(toy.run), "r0 n1 work 10; r0 n2 bandwidth 6; r1 n4 work 5; ");
  EXPECT_TRUE(toy.run.timelines[1].spans[2].critical) << "the receive is on it, without length";
}

TEST(CriticalPath, AReceiveWhoseMessageWasThereFollowsWhatPostedIt) {
  ToyRun toy = make_toy(2, {{Round::compute, {1, 20}}, {Round::shift, {3, 1}}});
  find_critical_path(toy.run);
  EXPECT_EQ(path_problem(toy.run), "");
  EXPECT_EQ(path_text(toy.run), "r1 n1 work 20; r1 n2 bandwidth 1; ")
      << "rank 0's receive lasted until rank 1's message came";
}

TEST(CriticalPath, SplitsByCause) {
  ToyRun toy = make_toy(1, {{Round::compute, {10}}, {Round::all_reduce, {20}}});
  Span& collective = toy.run.timelines[0].spans[1];
  collective.queue = Time(5);
  collective.latency = Time(3);
  find_critical_path(toy.run);
  EXPECT_EQ(path_text(toy.run),
            "r0 n1 work 10; r0 n2 queue 5; r0 n2 latency 3; r0 n2 bandwidth 12; ");
  const PathSummary summary = summarize_path(toy.run, 2);
  EXPECT_EQ(summary.by_cause[static_cast<std::size_t>(PathCause::bandwidth)], Time(12));
  EXPECT_EQ(summary.by_kind[static_cast<std::size_t>(result::SpanKind::collective)], Time(20));
  EXPECT_EQ(summary.ranks, 1u);
  EXPECT_EQ(summary.longest, (std::vector<std::uint32_t>{3, 0}));
}

// Under the rendezvous protocol the sender waits for the receiver's announcement.
TEST(CriticalPath, ASendThatWaitedLeadsToItsReceive) {
  ToyRun toy =
      make_toy(2, {{Round::compute, {2, 10}}, {Round::shift, {12, 4}}, {Round::compute, {9, 0}}});
  Span& send = toy.run.timelines[0].spans[1];
  ASSERT_EQ(send.start, Time(2));
  send.wait = Time(9);  // announced at 10, known at 11
  ASSERT_EQ(send.end, Time(14));
  find_critical_path(toy.run);
  EXPECT_EQ(path_problem(toy.run), "");
  EXPECT_EQ(path_text(toy.run),
            "r1 n1 work 10; r1 n3 latency 1; r0 n2 bandwidth 3; r0 n4 work 9; ");
}

TEST(CriticalPath, OfASampleCoversTheStep) {
  for (const bool distinct : {false, true}) {
    result::Run run = result::testing::sample_run(4, 3, distinct);
    run.path.clear();
    find_critical_path(run);
    EXPECT_EQ(path_problem(run), "");
    if (distinct) {
      EXPECT_TRUE(run.timelines[1].spans[0].critical) << "the slow rank's compute";
      EXPECT_FALSE(run.timelines[2].spans[0].critical);
    }
  }
}

TEST(CriticalPath, NothingExplainsAGap) {
  ToyRun toy = make_toy(1, {{Round::compute, {5}}, {Round::compute, {5}}});
  auto& spans = toy.run.timelines[0].spans;
  spans[1].start = Time(8);
  spans[1].end = Time(13);
  spans[1].released_by = result::kNone;
  toy.run.step = Time(15);
  toy.run.ranks[0].finish = Time(15);
  find_critical_path(toy.run);
  EXPECT_EQ(path_problem(toy.run), "");
  EXPECT_EQ(path_text(toy.run), "r0 n1 work 5; r0 n2 idle 3; r0 n2 work 5; r0 n2 idle 2; ");
}

TEST(CriticalPath, OfNothingIsEmpty) {
  result::Run run;
  find_critical_path(run);
  EXPECT_TRUE(run.path.empty());
  run.ranks.resize(2);
  run.timelines.resize(1);
  find_critical_path(run);
  EXPECT_TRUE(run.path.empty());
}

TEST(CriticalPath, OfAStalledRunEndsWithTheLastSpanThatEnded) {
  ToyRun toy = make_toy(2, {{Round::compute, {5, 8}}, {Round::compute, {1, 1}}});
  toy.run.stalled = true;
  for (auto& rank : toy.run.ranks) rank.finish.reset();
  toy.run.step = Time{};
  find_critical_path(toy.run);
  ASSERT_FALSE(toy.run.path.empty());
  EXPECT_EQ(toy.run.path.front().start, Time{});
  EXPECT_EQ(toy.run.path.back().end, Time(9));
  find_slack(toy.run, toy.graph_of_timeline());
  EXPECT_FALSE(toy.run.timelines[0].spans[0].slack.has_value());
}

// What a damaged run file may hold: any index, any order. The walk ends, the path stays whole.
RC_GTEST_PROP(CriticalPath, SurvivesNonsense, ()) {
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 4);
  std::vector<Round> rounds;
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    const int kind = *rc::gen::inRange(0, 3);
    rounds.push_back(
        {static_cast<Round::Kind>(kind), *rc::gen::container<std::vector<std::int64_t>>(
                                             ranks, rc::gen::inRange<std::int64_t>(0, 4))});
  }
  ToyRun toy = make_toy(ranks, rounds);
  const auto any = [] { return *rc::gen::inRange<std::uint32_t>(0, 20); };
  for (int i = 0; i < 4; ++i) {
    auto& spans = toy.run.timelines[any() % ranks].spans;
    Span& span = spans[any() % spans.size()];
    span.released_by = any();
    span.peer_span = any();
    span.distance = any();
    span.group = any() % 2;
    span.sequence = any();
    span.wait = Time(any());
    span.queue = Time(any());
    if (!toy.run.collectives.empty()) {
      toy.run.collectives[any() % toy.run.collectives.size()].last_span = any();
      toy.run.collectives[any() % toy.run.collectives.size()].last_rank = any();
    }
  }
  find_critical_path(toy.run);
  Time at{};
  for (const auto& segment : toy.run.path) {
    RC_ASSERT(segment.start == at);
    RC_ASSERT(segment.end > segment.start);
    at = segment.end;
  }
  RC_ASSERT(at == toy.run.step);
  find_slack(toy.run, toy.graph_of_timeline());
}

}  // namespace
}  // namespace orrery::analysis

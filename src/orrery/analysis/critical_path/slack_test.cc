// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/toy_run_testing.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::analysis {
namespace {

using namespace testing;
using result::Span;
using result::SpanKind;

TEST(Slack, OfASampleIsWhatTheOthersWaitFor) {
  const result::Run made = result::testing::sample_run(4, 2);
  result::Run run = made;
  find_slack(run, std::vector<const graph::Graph*>(4, nullptr));
  for (std::size_t t = 0; t < run.timelines.size(); ++t) {
    for (std::size_t i = 0; i < run.timelines[t].spans.size(); ++i) {
      const Span& span = run.timelines[t].spans[i];
      if (span.kind != SpanKind::compute) continue;
      EXPECT_EQ(span.slack, made.timelines[t].spans[i].slack) << t << " " << i;
    }
  }
}

TEST(Slack, OfAReceivePostedEarlyIsThatOfItsMessage) {
  ToyRun toy =
      make_toy(2, {{Round::compute, {10, 1}}, {Round::shift, {6, 2}}, {Round::compute, {1, 5}}});
  find_slack(toy.run, toy.graph_of_timeline());
  EXPECT_EQ(toy.run.timelines[1].spans[0].slack, Time(13))
      << "until its own send, then of 2, would end after the message it waits for";
  EXPECT_EQ(toy.run.timelines[0].spans[1].slack, Time(0)) << "the message rank 1 waits for";
}

std::vector<Round> some_rounds(std::uint32_t ranks) {
  std::vector<Round> rounds;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) {
    const int kind = *rc::gen::inRange(0, 3);
    rounds.push_back(
        {static_cast<Round::Kind>(kind), *rc::gen::container<std::vector<std::int64_t>>(
                                             ranks, rc::gen::inRange<std::int64_t>(0, 30))});
  }
  return rounds;
}

// Whatever takes longer by its slack costs nothing; by one picosecond more, one picosecond.
RC_GTEST_PROP(Slack, IsExactlyHowMuchLongerASpanMayTake, ()) {
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 5);
  const std::vector<Round> rounds = some_rounds(ranks);
  ToyRun toy = make_toy(ranks, rounds);
  find_critical_path(toy.run);
  find_slack(toy.run, toy.graph_of_timeline());
  RC_ASSERT(path_problem(toy.run) == "");
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const auto& spans = toy.run.timelines[r].spans;
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      RC_ASSERT(spans[i].slack.has_value());
      const std::int64_t slack = spans[i].slack->count();
      RC_ASSERT(slack >= 0);
      if (spans[i].critical) RC_ASSERT(slack == 0);
      const result::Run later = make_toy(ranks, rounds, {r, i, slack}).run;
      RC_ASSERT(later.step == toy.run.step);
      // The last comer of a collective answers for all its members, not only for its own end.
      if (spans[i].kind == SpanKind::collective) continue;
      const result::Run too_late = make_toy(ranks, rounds, {r, i, slack + 1}).run;
      RC_ASSERT(too_late.step == toy.run.step + Time(1));
    }
  }
}

/// A random graph of nodes that start as soon as what they depend on has ended.
struct Dag {
  std::vector<std::vector<std::uint32_t>> deps;
  std::vector<std::int64_t> lengths;

  [[nodiscard]] result::Run run() const {
    result::Run made;
    made.ranks.resize(1);
    made.timelines.resize(1);
    made.timelines[0].lanes.resize(1);
    for (std::size_t i = 0; i < deps.size(); ++i) {
      Span span;
      span.node = i + 1;
      span.kind = SpanKind::compute;
      for (const std::uint32_t dep : deps[i]) {
        const Time end = made.timelines[0].spans[dep].end;
        if (span.released_by != result::kNone && end <= span.start) continue;
        span.start = end;
        span.released_by = dep;
        span.release = result::Release::dependency;
      }
      span.end = span.start + Time(lengths[i]);
      made.step = std::max(made.step, span.end);
      made.timelines[0].spans.push_back(span);
    }
    made.ranks[0].finish = made.step;
    return made;
  }
};

RC_GTEST_PROP(Slack, OfARandomGraphIsExact, ()) {
  Dag dag;
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 25);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::vector<std::uint32_t> deps;
    for (std::uint32_t j = 0; j < i; ++j) {
      if (*rc::gen::inRange(0, 4) == 0) deps.push_back(j);
    }
    dag.deps.push_back(deps);
    dag.lengths.push_back(*rc::gen::inRange<std::int64_t>(0, 20));
  }
  result::Run run = dag.run();
  const graph::Graph graph = toy::graph_of(dag.deps);
  find_critical_path(run);
  find_slack(run, {&graph});
  RC_ASSERT(path_problem(run) == "");
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const Span& span = run.timelines[0].spans[i];
    if (span.critical) RC_ASSERT(span.slack == Time{});
    Dag later = dag;
    later.lengths[i] += span.slack->count();
    RC_ASSERT(later.run().step == run.step);
    ++later.lengths[i];
    RC_ASSERT(later.run().step == run.step + Time(1));
  }
}

TEST(Slack, FollowsTheOrderOfALane) {
  // Two nodes without dependencies on one lane; the second is what the step ends with.
  result::Run run;
  run.ranks.resize(1);
  run.timelines.resize(1);
  run.timelines[0].lanes = {{result::LaneKind::compute, result::kNone, result::kNone, 0}};
  run.timelines[0].spans.resize(3);
  auto& spans = run.timelines[0].spans;
  spans[0].end = Time(10);
  spans[1].start = Time(12);
  spans[1].end = run.step = Time(20);
  spans[2].start = spans[2].end = Time(11);  // metadata, occupies no lane
  spans[0].kind = spans[1].kind = SpanKind::compute;
  find_slack(run, {nullptr});
  EXPECT_EQ(spans[0].slack, Time(2));
  EXPECT_EQ(spans[2].slack, Time(9));
}

// Under ASTRA-sim's rules a rank's collectives, sends and memory accesses take turns.
TEST(Slack, OneLaneForAllCommunication) {
  result::Run run;
  run.ranks.resize(1);
  run.ranks[0].groups = {0, 1};
  run.groups.resize(2);
  run.timelines.resize(1);
  run.timelines[0].lanes = {{result::LaneKind::communicator, 0, result::kNone, 0},
                            {result::LaneKind::memory, result::kNone, result::kNone, 0}};
  run.timelines[0].spans.resize(2);
  auto& spans = run.timelines[0].spans;
  spans[0].kind = SpanKind::collective;
  spans[0].group = 0;
  spans[0].end = Time(10);
  spans[1].kind = SpanKind::load;
  spans[1].lane = 1;
  spans[1].start = Time(13);
  spans[1].end = run.step = Time(20);
  result::Run apart = run;
  find_slack(run, {nullptr}, {.one_comm_lane = true});
  EXPECT_EQ(spans[0].slack, Time(3));
  find_slack(apart, {nullptr});
  EXPECT_EQ(apart.timelines[0].spans[0].slack, Time(10));
}

}  // namespace
}  // namespace orrery::analysis

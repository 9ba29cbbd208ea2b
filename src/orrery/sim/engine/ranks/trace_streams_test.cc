// SPDX-License-Identifier: Apache-2.0
//
// What a recording says of streams and of waits.
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using RecordedLane = graph::Lane;
using graph::NodeKind;
using graph::NodeSpec;
using platform::Rules;

struct Drawn {
  Time duration{};
  std::vector<graph::DependencyNote> after;  // every dependency has a note
  std::optional<RecordedLane> lane;
  bool cpu = false;
};

graph::Workload recorded(const std::vector<Drawn>& nodes) {
  graph::GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeSpec spec;
    spec.id = i + 1;
    spec.kind = NodeKind::comp;
    spec.duration = nodes[i].duration;
    spec.lane = nodes[i].lane;
    spec.notes = nodes[i].after;
    if (nodes[i].cpu) spec.flags |= graph::kIsCpu;
    for (const graph::DependencyNote& note : nodes[i].after) spec.deps.push_back(note.dep);
    builder.add(spec);
  }
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  ORRERY_CHECK(graph.has_value());
  graph::Workload made;
  made.graphs.push_back(std::make_shared<const graph::Graph>(std::move(*graph)));
  made.graph_of_rank = {0};
  return made;
}

platform::Platform one_rank(Rules rules = Rules::orrery) {
  platform::Platform made = testing::line(platform::Block::ring, 1);
  made.rules = rules;
  return made;
}

SimResult run(const graph::Workload& workload, Rules rules = Rules::orrery, bool record = true,
              bool keep_times = true) {
  Options options;
  options.record = record;
  options.keep_times = keep_times;
  auto result = simulate(workload, one_rank(rules), options);
  ORRERY_CHECK(result.has_value());
  return std::move(*result);
}

const RecordedLane kSeven{.id = 7}, kTwenty{.id = 20};

TEST(RecordedLanes, StreamsRunSideBySide) {
  const std::vector<Drawn> nodes = {{us(1000), {}, kSeven}, {us(900), {}, kTwenty}};
  EXPECT_EQ(run(recorded(nodes)).end, us(1000));
  EXPECT_EQ(run(recorded(nodes), Rules::astra).end, us(1900));  // one GPU, as ASTRA-sim has it
  const SimResult result = run(recorded(nodes));
  EXPECT_EQ(result.ranks[0].compute, us(1000));
}

TEST(RecordedLanes, OneStreamDoesOneThingAtATime) {
  EXPECT_EQ(run(recorded({{us(1000), {}, kSeven}, {us(900), {}, kSeven}})).end, us(1900));
  // … except for kernels that overlapped in the recording.
  EXPECT_EQ(
      run(recorded({{us(1000), {}, kSeven}, {us(900), {}, RecordedLane{.id = 7, .row = 1}}})).end,
      us(1000));
  EXPECT_EQ(
      run(recorded({{us(1000), {}, kSeven}, {us(900), {}, RecordedLane{.id = 7, .device = 1}}}))
          .end,
      us(1000));
}

TEST(RecordedLags, AreNobodysTime) {
  const std::vector<Drawn> nodes = {{us(10), {}, kSeven}, {us(5), {{1, us(3)}}, kSeven}};
  const SimResult result = run(recorded(nodes));
  EXPECT_EQ(result.end, us(18));
  EXPECT_EQ(result.ranks[0].compute, us(15));
  EXPECT_EQ(result.ranks[0].idle, us(3));
  EXPECT_EQ(run(recorded(nodes), Rules::astra).end, us(15));
}

TEST(RecordedLags, TheLatestOfAllCounts) {
  // 1 ends at 10 and holds for 30; 2 ends at 20 and holds for 5.
  const std::vector<Drawn> nodes = {
      {us(10), {}, kSeven}, {us(20), {}, kTwenty}, {us(1), {{1, us(30)}, {2, us(5)}}, kSeven}};
  for (const bool record : {false, true}) {
    for (const bool keep_times : {false, true}) {
      const SimResult result = run(recorded(nodes), Rules::orrery, record, keep_times);
      EXPECT_EQ(result.end, us(41));
      if (record) {
        EXPECT_EQ(result.recording->times[2].start, us(40).count());
        EXPECT_EQ(result.recording->times[2].released_by, 0u);
      }
      if (keep_times || record) {
        ASSERT_EQ(result.path.size(), 2u);
        EXPECT_EQ(result.path[0].node, 0u);
      }
    }
  }
}

TEST(RecordedLags, LanesStayFreeMeanwhile) {
  // While 2 waits, 3 runs on its stream; 2 comes when that is done.
  const std::vector<Drawn> nodes = {
      {us(10), {}, kTwenty}, {us(1), {{1, us(5)}}, kSeven}, {us(30), {{1, {}}}, kSeven}};
  const SimResult result = run(recorded(nodes));
  EXPECT_EQ(result.end, us(41));
  EXPECT_EQ(result.recording->times[1].start, us(40).count());
  EXPECT_EQ(result.recording->times[1].released_by, 2u);
}

TEST(RecordedHosts, DoNotComputeBesideADevice) {
  const SimResult result =
      run(recorded({{us(10), {}, {}, true}, {us(5), {{1, us(2)}}, kSeven, false}}));
  EXPECT_EQ(result.end, us(17));
  EXPECT_EQ(result.ranks[0].compute, us(5));
  EXPECT_EQ(result.ranks[0].idle, us(12));
  EXPECT_EQ(run(recorded({{us(10), {}, {}, true}})).ranks[0].compute, us(10));
}

TEST(RecordedDeviations, HostsDevicesAndCopiesAreApart) {
  graph::GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), graph::Repair::refuse);
  const std::uint16_t flags[] = {graph::kIsCpu, graph::kIsCpu | graph::kIsWait, 0, graph::kIsCopy,
                                 graph::kIsComm};
  for (std::uint64_t i = 0; i < 5; ++i) {
    NodeSpec spec;
    spec.id = i + 1;
    spec.kind = NodeKind::comp;
    spec.duration = us(10);
    spec.flags = flags[i];
    if (i > 0) spec.deps = {i};
    builder.add(spec);
  }
  Findings findings;
  graph::Workload work;
  work.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
  work.graph_of_rank = {0};
  const auto end = [&](const platform::Deviation& deviation, Rules rules = Rules::orrery) {
    platform::Platform platform = one_rank(rules);
    platform.deviations = {deviation};
    platform.deviations[0].ranks = {0};
    return simulate(work, platform)->end;
  };
  EXPECT_EQ(end({}), us(50));
  EXPECT_EQ(end({.compute_time = 2}), us(60));
  EXPECT_EQ(end({.host_time = 3}), us(70));
  EXPECT_EQ(end({.copy_time = 4}), us(80));
  EXPECT_EQ(end({.communication_time = 5}), us(90));
  EXPECT_EQ(end({.compute_time = 2}, Rules::astra), us(100));  // who knows nothing of all this
  EXPECT_EQ(end({.host_time = 3}, Rules::astra), us(50));
}

/// A rank that computes, then sends or receives: two messages of one tag, in the order of its
/// nodes.
graph::GraphRef talker(bool sends, Time computes, std::initializer_list<Time> lengths) {
  graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
  NodeSpec spec;
  spec.id = 1;
  spec.kind = NodeKind::comp;
  spec.duration = computes;
  builder.add(spec);
  for (const Time length : lengths) {
    NodeSpec message;
    message.id = ++spec.id;
    message.kind = sends ? NodeKind::send : NodeKind::recv;
    message.flags =
        graph::kHasCommSize | graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
    message.message = {Bytes(64), 0, sends ? 1 : 0, 7};
    message.duration = length;
    message.deps = {spec.id - 1};
    builder.add(message);
  }
  Findings findings;
  return std::make_shared<const graph::Graph>(*std::move(builder).finish(findings));
}

// The receiver was there first and was recorded to wait; the transfer is what the sender took.
TEST(RecordedMessages, WaitForEachOtherAgain) {
  for (const bool record : {false, true}) {
    graph::Workload work;
    work.graphs = {talker(true, us(100), {us(3), us(4)}), talker(false, us(10), {us(93), us(4)})};
    work.graph_of_rank = {0, 1};
    platform::Platform platform = testing::line(platform::Block::ring, 2);
    Options options;
    options.replay = true;
    options.record = record;
    const auto result = simulate(work, platform, options);
    ASSERT_TRUE(result) << to_string(result.error());
    EXPECT_FALSE(result->stall);
    EXPECT_EQ(result->ranks[0].finish, us(107));
    EXPECT_EQ(result->ranks[1].finish, us(107));
    EXPECT_EQ(result->ranks[1].comm, us(97));
  }
}

TEST(RecordedMessages, WithoutAPartnerAreAStall) {
  graph::Workload work;
  work.graphs = {talker(true, us(1), {us(3)}), talker(false, us(1), {})};
  work.graph_of_rank = {0, 1};
  Options options;
  options.replay = true;
  const auto result = simulate(work, testing::line(platform::Block::ring, 2), options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->stall.has_value());
}

/// Two messages of 1 MB from rank 0 to rank 1, in this stream.
graph::GraphRef two_messages(bool sends, std::optional<RecordedLane> lane) {
  graph::GraphBuilder builder("w", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::uint32_t tag = 0; tag < 2; ++tag) {
    NodeSpec spec;
    spec.id = tag;
    spec.kind = sends ? NodeKind::send : NodeKind::recv;
    spec.flags = graph::kHasCommSize | graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
    spec.message = {Bytes(1'000'000), 0, 1, tag};
    spec.lane = lane;
    builder.add(spec);
  }
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  ORRERY_CHECK(graph.has_value());
  return std::make_shared<const graph::Graph>(std::move(*graph));
}

Time two_messages_end(std::optional<RecordedLane> lane) {
  graph::Workload work;
  work.graphs = {two_messages(true, lane), two_messages(false, lane)};
  work.graph_of_rank = {0, 1};
  const auto result = simulate(work, testing::line(platform::Block::ring, 2), {});
  ORRERY_CHECK(result.has_value());
  return result->end;
}

// To one receiver, a message waits for the one before, unless it overlaps others of its stream.
TEST(SentMessages, OverlapInARowOfTheirOwn) {
  const Time alone = two_messages_end(RecordedLane{.id = 0, .row = 1});
  EXPECT_GT(alone, Time{});
  EXPECT_EQ(two_messages_end({}), alone * 2);
  EXPECT_EQ(two_messages_end(RecordedLane{.id = 0}), alone * 2);
}

}  // namespace
}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/link.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orrery/profile/link/align.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// A device trace and an execution trace that share their strings.
struct Pair {
  Maker device;
  Maker host{device.profile.strings};
  std::uint32_t thread = device.thread(4711), logical = host.thread(1);
  Findings findings;
  Profile linked;

  Result<LinkReport> link() {
    host.profile.format = "pytorch_et";
    host.profile.where = "et.json";
    Profile execution_trace = host.take();
    linked = device.take();
    return profile::link(linked, std::move(execution_trace), findings);
  }
};

TEST(Link, ByRecordFunction) {
  Pair pair;
  const EventId outer = pair.device.op(pair.thread, "aten::linear", 0, 10);
  const EventId inner = pair.device.op(pair.thread, "aten::addmm", 2, 5);
  pair.device.op_of(outer).record_function_id = 20;
  pair.device.op_of(inner).record_function_id = 21;
  const EventId a = pair.host.node(pair.logical, "aten::linear", 100);
  const EventId b = pair.host.node(pair.logical, "aten::addmm", 110, a);
  pair.host.op_of(a).record_function_id = 20;
  pair.host.op_of(b).record_function_id = 21;
  pair.host.op_of(b).sequence = 3;
  pair.host.node_of(b).inputs = pair.host.profile.texts.add("[1, 2]");
  const auto report = pair.link();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->by_record_function, 2u);
  EXPECT_EQ(report->rate(), 1.0);
  EXPECT_TRUE(pair.findings.empty());
  ASSERT_NE(pair.linked.node(inner), nullptr);
  EXPECT_EQ(pair.linked.node(inner)->id, 110u);
  EXPECT_EQ(pair.linked.texts.view(pair.linked.node(inner)->inputs), "[1, 2]");
  EXPECT_EQ(pair.linked.op(inner).sequence, 3);
  EXPECT_EQ(pair.linked.events.size(), 2u);
  EXPECT_EQ(pair.linked.format, "linked");
}

/// PyTorch before 2.1 numbers operators alike in both files, under different names.
TEST(Link, ByExternalIdWithAnOffset) {
  Pair pair;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string name = "op" + std::to_string(i);
    const EventId op = pair.device.op(pair.thread, name, static_cast<std::int64_t>(10 * i), 5);
    pair.device.op_of(op).external_id = 1000 + i;
    if (i == 7) continue;
    const EventId node = pair.host.node(pair.logical, name, 10 + 3 * i);
    pair.host.op_of(node).record_function_id = 5 + i;
  }
  const auto report = pair.link();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->by_external_id, 19u);
  EXPECT_EQ(report->unlinked_operators, 1u);
  EXPECT_EQ(pair.findings.count(FindingCode::linked_by_external_id), 19u);
  EXPECT_EQ(pair.findings.count(FindingCode::operator_without_node), 1u);
}

/// Ids that name other operators are worth nothing, and names decide.
TEST(Link, ByOrderWhenIdsContradictNames) {
  Pair pair;
  std::vector<EventId> ops;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string name = "op" + std::to_string(i);
    ops.push_back(pair.device.op(pair.thread, name, static_cast<std::int64_t>(10 * i), 5));
    pair.device.op_of(ops.back()).record_function_id = 100 + i * i % 17;
    const EventId node = pair.host.node(pair.logical, name, 10 + 3 * i);
    pair.host.op_of(node).record_function_id = 100 + i;
  }
  const auto report = pair.link();
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->by_order, 20u);
  EXPECT_EQ(pair.findings.count(FindingCode::linked_by_order), 20u);
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(pair.linked.node(ops[i])->id, 10 + 3 * i);
}

/// The two files may be of different iterations: the sequence numbers then differ by a constant.
TEST(Link, SequenceNumbersOfAnotherIteration) {
  Pair pair;
  std::vector<EventId> second;
  for (const int step : {0, 1, 2}) {
    for (int i = 0; i < 8; ++i) {
      const EventId op =
          pair.device.op(pair.thread, i % 2 == 0 ? "mul" : "add", 1000 * step + 10 * i, 5);
      pair.device.op_of(op).sequence = 500 + 8 * step + i;
      if (step == 1) second.push_back(op);
    }
  }
  pair.device.op(pair.thread, "only in the second", 1000 + 75, 1);
  for (int i = 0; i < 8; ++i) {
    const auto id = 10 + static_cast<std::uint64_t>(i);
    const EventId node = pair.host.node(pair.logical, i % 2 == 0 ? "mul" : "add", id);
    pair.host.op_of(node).sequence = 508 + i;
  }
  const auto report = pair.link();
  ASSERT_TRUE(report);
  for (std::size_t i = 0; i < 8; ++i) {
    ASSERT_NE(pair.linked.node(second[i]), nullptr);
    EXPECT_EQ(pair.linked.node(second[i])->id, 10 + i);
  }
}

TEST(Link, KeepsNodesWithoutOperatorAtTheirPlace) {
  Pair pair;
  const EventId first = pair.device.op(pair.thread, "first", 0, 10);
  const EventId last = pair.device.op(pair.thread, "last", 20, 10);
  pair.host.node(pair.logical, "[pytorch|profiler|execution_trace|thread]", 2);
  const EventId a = pair.host.node(pair.logical, "first", 10);
  const EventId lost = pair.host.node(pair.logical, "lost", 11, a);
  pair.host.node(pair.logical, "inside lost", 12, lost);
  pair.host.node(pair.logical, "last", 13);
  const std::uint32_t other = pair.host.thread(9);
  pair.host.node(other, "elsewhere", 14);
  const auto report = pair.link();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->nodes, 5u);
  EXPECT_EQ(report->added, 3u);
  EXPECT_EQ(pair.findings.count(FindingCode::node_without_operator), 3u);
  const auto order = pair.linked.in_order(pair.thread);
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0], first);
  EXPECT_EQ(pair.linked.name(order[1]), "lost");
  EXPECT_EQ(pair.linked.events[order[1]].parent, first);
  EXPECT_FALSE(pair.linked.events[order[1]].timed());
  EXPECT_EQ(pair.linked.events[order[2]].parent, order[1]);
  EXPECT_EQ(order[3], last);
  ASSERT_EQ(pair.linked.lanes.size(), 2u);  // the thread the device trace does not have
  EXPECT_EQ(pair.linked.lanes[1].id, 9);
  const RecordCounts& account = pair.linked.account;
  EXPECT_EQ(account.records, 8u);
  EXPECT_EQ(account.events + account.mapped, account.records);
  EXPECT_EQ(account.events, pair.linked.events.size());
}

TEST(Link, MergesGroupsAndCommunications) {
  Pair pair;
  const EventId op = pair.device.op(pair.thread, "record_param_comms", 0, 10);
  const EventId predicted = pair.device.op(pair.thread, "c10d::barrier", 20, 10);
  pair.device.comm(op, CommKind::all_reduce, 64, pair.device.group("0"));
  const EventId node = pair.host.node(pair.logical, "record_param_comms", 10);
  const EventId second = pair.host.node(pair.logical, "c10d::barrier", 11);
  pair.host.group("1", {0});
  const std::uint32_t group = pair.host.group("0", {0, 1});
  pair.host.comm(node, CommKind::all_reduce, 64, group).sequence = 5;
  pair.host.comm(second, CommKind::barrier, 0, group);
  ASSERT_TRUE(pair.link());
  ASSERT_EQ(pair.linked.groups.size(), 2u);
  EXPECT_EQ(pair.linked.groups[0].ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(pair.linked.comm(op)->sequence, 5);
  EXPECT_EQ(pair.linked.comm(op)->group, 0u);
  EXPECT_EQ(pair.linked.comm(predicted)->group, 0u);
}

/// Two different programs have names in common, but in other places.
TEST(Link, LikenessByChanceIsNoLink) {
  Pair pair;
  for (int i = 0; i < 40; ++i) {
    pair.device.op(pair.thread, i % 4 == 0 ? "aten::add" : "device" + std::to_string(i), 100 * i,
                   50);
    if (i % 4 == 1) pair.device.op(pair.thread, "aten::mul", 100 * i + 10, 20);
    const EventId outer = pair.host.node(pair.logical, "host" + std::to_string(i),
                                         10 + 4 * static_cast<std::uint64_t>(i));
    if (i % 4 == 0)
      pair.host.node(pair.logical, "aten::mul", 11 + 4 * static_cast<std::uint64_t>(i), outer);
    if (i % 4 == 2) {
      const EventId mul =
          pair.host.node(pair.logical, "aten::mul", 11 + 4 * static_cast<std::uint64_t>(i), outer);
      pair.host.node(pair.logical, "aten::add", 12 + 4 * static_cast<std::uint64_t>(i), mul);
    }
  }
  const auto report = pair.link();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::input_unlinked);
  EXPECT_NE(report.error().what.find("under different operators"), std::string::npos);
}

TEST(Link, NothingInCommonIsAnError) {
  Pair pair;
  pair.device.op(pair.thread, "aten::mm", 0, 10);
  pair.host.node(pair.logical, "aten::add", 10);
  const auto report = pair.link();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::input_unlinked);
  EXPECT_EQ(report.error().where, "et.json and test.json");
  EXPECT_EQ(pair.linked.events.size(), 1u);
}

std::vector<AlignedEvent> steps(std::string_view names) {
  std::vector<AlignedEvent> out;
  for (const char c : names) {
    AlignedEvent step;
    step.name = static_cast<std::uint32_t>(c);
    out.push_back(step);
  }
  return out;
}

TEST(Align, SmallSequences) {
  EXPECT_EQ(align(steps("abc"), steps("xaybzc")), (Pairs{{0, 1}, {1, 3}, {2, 5}}));
  EXPECT_EQ(align(steps("abc"), steps("xyz")), Pairs{});
  EXPECT_EQ(align(steps(""), steps("xyz")), Pairs{});
  // Next to what is known, when there is a choice
  EXPECT_EQ(align(steps("aX"), steps("aaX"), {{1, 2}}), (Pairs{{0, 1}, {1, 2}}));
  EXPECT_EQ(align(steps("Xa"), steps("Xaa"), {{0, 0}}), (Pairs{{0, 0}, {1, 1}}));
}

/// Thousands of equal iterations that nothing tells apart: some whole run of them is linked.
TEST(Align, EndlessRepetition) {
  const std::string iteration = "abcbdbeffgabbahc";
  std::string few = "fgabbahc", many;
  for (int i = 0; i < 300; ++i) few += iteration;
  for (int i = 0; i < 2000; ++i) many += iteration;
  const Pairs pairs = align(steps(few), steps(many));
  EXPECT_GE(pairs.size() + iteration.size(), few.size());
  for (const auto& [l, r] : pairs) ASSERT_EQ(r - l, pairs[0].second - pairs[0].first);
}

/// A long stretch of equal steps between two others, with some lost on both sides, is solved in a
/// band along the straight line.
TEST(Align, LongStretchWithoutMarks) {
  std::string left = "X", right = "X";
  for (int i = 0; i < 3000; ++i) {
    if (i % 50 != 7) left += static_cast<char>('a' + i % 3);
    if (i % 60 != 11) right += static_cast<char>('a' + i % 3);
  }
  left += 'Y';
  right += 'Y';
  const Pairs pairs = align(steps(left), steps(right), {{0, 0}});
  EXPECT_GE(pairs.size(), std::size_t{2850});
  for (const auto& [l, r] : pairs) ASSERT_EQ(left[l], right[r]);
  EXPECT_EQ(longest_ascending(pairs), pairs);
}

TEST(Align, Ascending) {
  EXPECT_EQ(longest_ascending({{0, 5}, {1, 1}, {2, 2}, {3, 9}, {4, 3}}),
            (Pairs{{1, 1}, {2, 2}, {4, 3}}));
  EXPECT_EQ(longest_ascending({}), Pairs{});
}

}  // namespace
}  // namespace orrery::profile

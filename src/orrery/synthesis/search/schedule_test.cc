// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedules/schedule.h"

#include <gtest/gtest.h>

#include "orrery/synthesis/fabric/fabric_state_testing.h"
#include "orrery/synthesis/search/synthesize.h"

namespace orrery::synthesis {
namespace {

/// A broadcast of one piece along three devices in a row: 1 MB at 1 GB/s takes 1 ms and 1 us.
struct Row {
  FabricState fabric = fabric_state_for(grid({3}, false, cable(1, 1000)));
  Schedule schedule;

  explicit Row(graph::CollectiveType type) {
    schedule.groups = {{type, Bytes(1'000'000), fabric.rank_devices, 0}};
    for (std::uint32_t w = 0; w < fabric.wires.size(); ++w) {
      const Wire& wire = fabric.wires[w];
      schedule.routes.push_back({wire.from, wire.to, 1'000'000'000, us(1), w, 1});
      schedule.wires.push_back(w);
    }
  }
  std::uint32_t route(NodeIndex from, NodeIndex to) const {
    std::uint32_t at = 0;
    while (schedule.routes[at].from != from || schedule.routes[at].to != to) ++at;
    return at;
  }
  void send(NodeIndex from, NodeIndex to, Time start, bool reduces = false) {
    schedule.sends.push_back({0, route(from, to), reduces ? 1U : 0U, start});
  }
  [[nodiscard]] std::string wrong() const { return schedule_error(fabric, schedule); }
};

TEST(Schedules, WhatIsRightIsRight) {
  Row row(graph::CollectiveType::broadcast);
  row.schedule.pieces = {{0, 0, kAllMembers, 0, 1'000'000}};
  row.send(0, 1, us(0));
  EXPECT_EQ(row.wrong(), "npu2 never receives all of piece 0");
  row.send(1, 2, us(1001));
  EXPECT_EQ(row.wrong(), "");
  EXPECT_EQ(row.schedule.end(), us(2002));
  EXPECT_EQ(dependency_depth(row.schedule), 2U);
  EXPECT_EQ(link_loads(row.fabric, row.schedule)[row.route(0, 1)], 1'000'000);
  row.schedule.sends[1].start = us(1001) - Time(1);
  EXPECT_EQ(row.wrong(), "npu1 sends piece 0 at 1.001 ms without having it");
}

TEST(Schedules, NothingComesTwice) {
  Row row(graph::CollectiveType::broadcast);
  row.schedule.pieces = {{0, 0, kAllMembers, 0, 1'000'000}};
  row.send(0, 1, us(0));
  row.send(0, 1, us(1000));
  row.send(1, 2, us(1001));
  EXPECT_EQ(row.wrong(), "npu1 receives piece 0 twice, the second time from npu0 at 2.001 ms");
}

TEST(Schedules, LinksCarryWhatTheyCan) {
  Row row(graph::CollectiveType::broadcast);
  row.schedule.pieces = {{0, 0, kAllMembers, 0, 1'000'000}, {0, 0, kAllMembers, 0, 1'000'000}};
  row.send(0, 1, us(0));
  row.send(1, 2, us(1001));
  for (int i = 0; i < 2; ++i) {
    row.schedule.sends.push_back(row.schedule.sends[static_cast<std::size_t>(i)]);
    row.schedule.sends.back().piece = 1;
    row.schedule.sends.back().start += us(1000) - Time(1);
  }
  EXPECT_EQ(row.wrong(), "npu0 -> npu1 exceeds its bandwidth at 1 ms");
  row.schedule.sends[2].start += Time(1);
  row.schedule.sends[3].start += Time(1);
  EXPECT_EQ(row.wrong(), "");
}

// Both ends add to the middle; a contribution that comes after the sum has gone on is missing.
TEST(Schedules, SumsHaveEachContributionOnce) {
  Row row(graph::CollectiveType::reduce);
  row.schedule.pieces = {{0, kAllMembers, 0, 0, 1'000'000}};
  row.send(2, 1, us(0), true);
  row.send(1, 0, us(1001), true);
  EXPECT_EQ(row.wrong(), "");
  row.schedule.sends[1].start = us(500);
  EXPECT_EQ(row.wrong(), "npu0 never receives all of piece 0");
  row.schedule.sends[1].start = us(1001);
  row.send(1, 0, us(2001), true);
  EXPECT_EQ(row.wrong(), "npu0 receives piece 0 twice, the second time from npu1 at 3.002 ms");
}

TEST(Schedules, WaysAreWays) {
  Row row(graph::CollectiveType::broadcast);
  row.schedule.routes.front().latency += Time(1);
  EXPECT_EQ(row.wrong(), "the path from npu0 to npu1 does not match its values");
}

// Any change of a found schedule that matters is found: each send left out, or earlier.
TEST(Schedules, EverySendOfASearchIsNeeded) {
  const FabricState fabric = random_fabric(3, {.devices = 6, .switches = 1, .more_links = 4});
  for (const auto type : {graph::CollectiveType::all_gather, graph::CollectiveType::all_reduce,
                          graph::CollectiveType::all_to_all}) {
    SynthesisQuestion question;
    question.type = type;
    question.bytes = Bytes(6'000'000);
    question.chunks = 1;
    const auto made = synthesize(fabric, question);
    ASSERT_TRUE(made);
    ASSERT_EQ(schedule_error(fabric, made->schedule), "");
    for (std::size_t i = 0; i < made->schedule.sends.size(); ++i) {
      Schedule less = made->schedule;
      less.sends.erase(less.sends.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(schedule_error(fabric, less), "") << graph::name(type) << " without send " << i;
    }
  }
}

}  // namespace
}  // namespace orrery::synthesis

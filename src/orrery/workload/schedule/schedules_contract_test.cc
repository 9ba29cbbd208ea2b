// SPDX-License-Identifier: Apache-2.0
//
// What every schedule must hold to (schedules.h). Simulated steps are compared with the closed form
// in tests/property/bubble_test.cc, those of search/ in
// estimate/columns/pipeline_closed_form_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>

#include "orrery/workload/schedule/pipeline_order_testing.h"

namespace orrery::workload {

void PrintTo(const ScheduleEntry* schedule, std::ostream* out) { *out << name(schedule->kind); }

namespace {

constexpr PassCost kCosts[] = {{1, 1, 1},    {2, 3, 1},   {3, 2, 2},   {10, 10, 5},
                               {10, 13, 10}, {10, 9, 10}, {10, 6, 14}, {7, 21, 5}};

class ScheduleContract : public ::testing::TestWithParam<const ScheduleEntry*> {
 protected:
  template <class Use>
  void for_each_order(Use use) {
    const std::vector<PipelineOrder> orders = schedule_testing::orders_of(*GetParam());
    EXPECT_GT(orders.size(), 10u);
    for (const PipelineOrder& order : orders) {
      SCOPED_TRACE(schedule_testing::size_text(order));
      use(order);
    }
  }
};

TEST_P(ScheduleContract, EveryMicrobatchPassesEveryStageOnceAndNoStageWaitsForEver) {
  for_each_order([&](const PipelineOrder& order) {
    const Result<void> fine = check_order(order, "order");
    EXPECT_TRUE(fine) << to_string(fine.error());
    // Counted here without check_order's help.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::array<int, 4>> passes;
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      for (const Slot& slot : order.slots(s)) {
        std::array<int, 4>& count = passes[{s, slot.chunk, slot.microbatch}];
        if (slot.pass != Pass::forward) {
          EXPECT_EQ(count[0], 1) << "before its forward pass";
        }
        ++count[static_cast<std::size_t>(slot.pass)];
      }
    }
    std::size_t places = 0;
    for (const std::vector<ChunkPlace>& pipe : order.pipes) places += pipe.size();
    EXPECT_EQ(passes.size(), places * order.microbatches / order.pipes.size());
    for (const auto& [place, count] : passes) {
      EXPECT_EQ(count[0], 1);
      EXPECT_EQ(count[1] + count[2], 1);
      EXPECT_EQ(count[2], count[3]);
    }
  });
}

TEST_P(ScheduleContract, ItsBubbleIsTheClosedForm) {
  std::size_t known = 0;
  for_each_order([&](const PipelineOrder& order) {
    for (const PassCost& cost : kCosts) {
      const auto bubble =
          bubble_formula(GetParam()->kind, order.stages, order.microbatches, order.chunks, cost);
      if (!bubble) continue;
      ++known;
      EXPECT_EQ(pipeline_timeline(order, cost).bubble(), *bubble)
          << cost.forward << " " << cost.input_grad << " " << cost.weight_grad;
    }
  });
  EXPECT_GT(known, 20u);
}

TEST_P(ScheduleContract, TheFirstStageHoldsAsManyMicrobatchesAsItSays) {
  std::size_t known = 0;
  for_each_order([&](const PipelineOrder& order) {
    const auto held = GetParam()->in_flight(schedule_testing::size_of(order));
    if (!held) return;
    ++known;
    EXPECT_EQ(max_in_flight(order, 0), *held);
  });
  EXPECT_GT(known, 10u);
}

TEST_P(ScheduleContract, ItsLoopsSurviveAFile) {
  for_each_order([&](const PipelineOrder& order) {
    if (order.stages > 4) return;
    const auto read =
        parse_order(order_to_yaml(order), "order.yaml", order.stages, order.microbatches);
    ASSERT_TRUE(read) << to_string(read.error());
    for (std::uint32_t s = 0; s < order.stages; ++s) EXPECT_EQ(read->slots(s), order.slots(s));
  });
}

TEST_P(ScheduleContract, ItRefusesOtherNumbersOfChunks) {
  for (const std::uint32_t chunks : {1u, 2u, 3u}) {
    const bool fine = allows(GetParam()->chunks, chunks) ||
                      (GetParam()->chunks == ChunkCount::several && chunks == 1);  // 1F1B
    EXPECT_EQ(pipeline_order(GetParam()->kind, 4, 8, chunks).has_value(), fine) << chunks;
  }
}

TEST_P(ScheduleContract, ItIsDescribed) {
  const ScheduleEntry& schedule = *GetParam();
  EXPECT_EQ(kSchedules[static_cast<std::size_t>(schedule.kind)], &schedule);
  for (const std::string_view text :
       {schedule.page.title, schedule.page.bubble, schedule.page.exact_when,
        schedule.page.in_flight, schedule.page.source, schedule.page.text})
    EXPECT_FALSE(text.empty());
  std::set<std::string_view> names;
  for (const ScheduleEntry* one : kSchedules)
    for (const ScheduleRule& rule : one->rules) EXPECT_TRUE(names.insert(rule.name).second);
}

INSTANTIATE_TEST_SUITE_P(Schedules, ScheduleContract, ::testing::ValuesIn(kSchedules),
                         [](const auto& made) {
                           return "s_" + std::string(name(made.param->kind));
                         });

}  // namespace
}  // namespace orrery::workload

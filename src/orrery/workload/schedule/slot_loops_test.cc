// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule/slot_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {
namespace {

std::vector<Slot> slots_of(ScheduleKind kind, std::uint32_t stages, std::uint32_t microbatches,
                           std::uint32_t chunks, std::uint32_t stage) {
  return pipeline_order(kind, stages, microbatches, chunks)->slots(stage);
}

std::size_t written(const std::vector<SlotLoop>& loops) {
  std::size_t slots = 0;
  for (const SlotLoop& loop : loops) slots += loop.slots.size();
  return slots;
}

/// The loop that stands for most passes.
const SlotLoop& longest(const std::vector<SlotLoop>& loops) {
  return *std::max_element(loops.begin(), loops.end(), [](const SlotLoop& a, const SlotLoop& b) {
    return a.slots.size() * a.count < b.slots.size() * b.count;
  });
}

TEST(Loops, NothingAndOnePass) {
  EXPECT_TRUE(fold_slots({}).empty());
  const std::vector<SlotLoop> one = fold_slots({Slot{Pass::backward, 3, 0}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].count, 1u);
  EXPECT_THAT(one[0].slots, testing::ElementsAre(Slot{Pass::backward, 3, 0}));
}

TEST(Loops, SteadyStateOf1F1BIsOneLoop) {
  // Stage 2 of 8 with 64 microbatches: 5 forward passes ahead.
  const std::vector<SlotLoop> loops = fold_slots(slots_of(ScheduleKind::one_f_one_b, 8, 64, 1, 2));
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_THAT(loops[0].slots, testing::ElementsAre(Slot{Pass::forward, 0, 0}));
  EXPECT_EQ(loops[0].count, 5u);
  EXPECT_EQ(loops[0].stride, 1u);
  EXPECT_THAT(loops[1].slots,
              testing::ElementsAre(Slot{Pass::forward, 0, 5}, Slot{Pass::backward, 0, 0}));
  EXPECT_EQ(loops[1].count, 59u);
  EXPECT_EQ(loops[1].stride, 1u);
  EXPECT_THAT(loops[2].slots, testing::ElementsAre(Slot{Pass::backward, 0, 59}));
  EXPECT_EQ(loops[2].count, 5u);
}

TEST(Loops, EverySchedulesSteadyStateIsOneLoop) {
  // Period of the steady state: all passes of one microbatch; interleaved: of p microbatches.
  const struct {
    ScheduleKind kind;
    std::uint32_t chunks;
    std::size_t period;
  } cases[] = {{ScheduleKind::gpipe, 1, 1},
               {ScheduleKind::one_f_one_b, 1, 2},
               {ScheduleKind::interleaved, 4, 2 * 4 * 4},
               {ScheduleKind::zb_h1, 1, 3},
               {ScheduleKind::zb_v, 2, 6},
               {ScheduleKind::dual_pipe, 2, 4}};
  for (const auto& each : cases) {
    for (const std::uint32_t microbatches : {128u, 4096u}) {
      for (std::uint32_t stage = 0; stage < 4; ++stage) {
        const PipelineOrder order = *pipeline_order(each.kind, 4, microbatches, each.chunks);
        const std::vector<Slot> slots = order.slots(stage);
        const std::vector<SlotLoop> folded = fold_slots(slots);
        EXPECT_EQ(expand_loops(folded), slots);
        for (const std::vector<SlotLoop>& loops : {folded, order.loops[stage]}) {
          EXPECT_EQ(longest(loops).slots.size(), each.period) << static_cast<int>(each.kind);
          EXPECT_LE(written(loops), 3 * each.period + 40) << "whatever the microbatches";
        }
      }
    }
  }
}

TEST(Loops, LastPassThatIsAnotherStaysOutside) {
  std::vector<Slot> slots = slots_of(ScheduleKind::one_f_one_b, 4, 32, 1, 3);
  slots.back().pass = Pass::input_grad;
  const std::vector<SlotLoop> loops = fold_slots(slots);
  EXPECT_EQ(expand_loops(loops), slots);
  EXPECT_EQ(longest(loops).count, 31u);
  EXPECT_EQ(loops.back().slots.back().pass, Pass::input_grad);
}

TEST(Loops, MicrobatchesThatShrinkAreNotALoop) {
  std::vector<Slot> slots;
  for (std::uint32_t b = 8; b-- > 0;) slots.push_back({Pass::backward, 0, b});
  EXPECT_EQ(fold_slots(slots).size(), 1u);
  EXPECT_EQ(fold_slots(slots)[0].slots, slots);
}

TEST(Loops, StrideMayBeNothing) {
  const std::vector<SlotLoop> loops = fold_slots(std::vector<Slot>(7, {Pass::forward, 0, 5}));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count, 7u);
  EXPECT_EQ(loops[0].stride, 0u);
}

/// Passes and loops of the cheapest cut, by trying all repeats from every place.
std::size_t least_cost(const std::vector<Slot>& slots) {
  const auto same = [&](std::size_t i, std::size_t period, std::uint32_t stride) {
    Slot moved = slots[i];
    moved.microbatch += stride;
    return slots[i + period] == moved;
  };
  std::vector<std::size_t> cost(slots.size() + 1, 0);
  for (std::size_t i = slots.size(); i-- > 0;) {
    cost[i] = cost[i + 1] + 1;
    for (std::size_t period = 1; i + 2 * period <= slots.size(); ++period) {
      const std::uint32_t stride = slots[i + period].microbatch - slots[i].microbatch;
      if (stride > 1u << 31) continue;  // it shrinks
      std::size_t end = i;
      while (end + period < slots.size() && same(end, period, stride)) ++end;
      for (std::size_t stop = i + 2 * period; stop <= end + period; stop += period) {
        cost[i] = std::min(cost[i], cost[stop] + period + 1);
      }
    }
  }
  return cost[0];
}

TEST(Loops, AnyListUnfoldsToItselfAndIsShort) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    // Few chunks and small steps, with pieces copied, so that repeats of all kinds come about.
    std::vector<Slot> slots;
    const std::size_t size = random() % 60;
    while (slots.size() < size) {
      if (!slots.empty() && random() % 3 == 0) {
        const std::size_t length = 1 + random() % slots.size();
        const std::uint32_t stride = random() % 3;
        for (std::size_t i = 0; i < length; ++i) {
          slots.push_back(slots[slots.size() - length]);
          slots.back().microbatch += stride;
        }
      } else {
        slots.push_back({Pass::forward, static_cast<std::uint16_t>(random() % 2),
                         static_cast<std::uint32_t>(random() % 3)});
      }
    }
    const std::vector<SlotLoop> loops = fold_slots(slots);
    EXPECT_EQ(expand_loops(loops), slots);
    std::size_t cost = written(loops);
    for (const SlotLoop& loop : loops) cost += loop.count > 1 ? 1 : 0;
    EXPECT_EQ(cost, least_cost(slots));
    if (HasFailure()) break;
  }
}

TEST(Loops, LongListsTakeLittleTime) {
  // 196,608 passes: a quadratic search would not end.
  const std::vector<Slot> slots = slots_of(ScheduleKind::zb_h1, 8, 65536, 1, 3);
  const std::vector<SlotLoop> loops = fold_slots(slots);
  EXPECT_EQ(expand_loops(loops), slots);
  EXPECT_LE(written(loops), 40u);
}

}  // namespace
}  // namespace orrery::workload

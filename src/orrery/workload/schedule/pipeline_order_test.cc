// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule/pipeline_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "orrery/core/limits.h"
#include "orrery/workload/schedule/pipeline_order_testing.h"

namespace orrery::workload {
namespace {

using Kind = ScheduleKind;

PipelineOrder order_of(Kind kind, std::uint32_t p, std::uint32_t m, std::uint32_t v) {
  Result<PipelineOrder> order = pipeline_order(kind, p, m, v);
  EXPECT_TRUE(order) << (order ? "" : to_string(order.error()));
  return order ? *order : PipelineOrder{};
}

/// Legal orders of sizes worth trying.
template <class Use>
void for_each_order(Kind kind, Use use) {
  for (const PipelineOrder& order : schedule_testing::orders_of(*find_schedule(kind))) {
    SCOPED_TRACE(schedule_testing::size_text(order));
    use(order);
  }
}

TEST(Schedule, ClosedFormsAreThosePublished) {
  // Stage passes of 12, 12 and 12; a chunk of v takes 1/v of that. p = 8, m = 64.
  const PassCost whole{12, 12, 12}, half{6, 6, 6}, quarter{3, 3, 3};
  EXPECT_EQ(bubble_formula(Kind::gpipe, 8, 64, 1, whole), 7 * 36);
  EXPECT_EQ(bubble_formula(Kind::one_f_one_b, 8, 64, 1, whole), 7 * 36);
  EXPECT_EQ(bubble_formula(Kind::interleaved, 8, 64, 4, quarter), 7 * 36 / 4);
  EXPECT_EQ(bubble_formula(Kind::zb_h1, 8, 64, 1, whole), 7 * 36 / 3) << "a third of 1F1B's";
  EXPECT_EQ(bubble_formula(Kind::zb_h1, 8, 64, 1, {10, 12, 7}), 7 * (10 + 12 - 7));
  EXPECT_EQ(bubble_formula(Kind::zb_v, 8, 64, 2, half), 7 * 6) << "all before the stage begins";
  EXPECT_EQ(bubble_formula(Kind::dual_pipe, 8, 64, 2, whole), 3 * 12);
}

TEST(Schedule, ZbVHasNoGapsForEqualPasses) {
  for_each_order(Kind::zb_v, [](const PipelineOrder& order) {
    if (order.microbatches + 1 < 2 * order.stages) return;
    EXPECT_THAT(pipeline_timeline(order, {1, 1, 1}).gaps, testing::Each(0));
  });
}

TEST(Schedule, PlayedTimesOfASmall1F1B) {
  // Two stages, two microbatches, forward 1, backward 2: drawn by hand.
  const PipelineTimeline time = pipeline_timeline(order_of(Kind::one_f_one_b, 2, 2, 1), {1, 1, 1});
  EXPECT_THAT(time.start[0], testing::ElementsAre(0, 1, 4, 7));  // F0 F1 B0 B1
  EXPECT_THAT(time.start[1], testing::ElementsAre(1, 2, 4, 5));  // F0 B0 F1 B1
  EXPECT_THAT(time.gaps, testing::ElementsAre(3, 0));
  EXPECT_EQ(time.end, 9);
  EXPECT_EQ(time.busy, 6);
}

/// DualPipe's pairs of a forward and a backward pass as one unit each, as its kernels run them:
/// both begin when both can, and end together.
std::int64_t bubble_of_pairs(const PipelineOrder& order, const PassCost& cost) {
  const std::uint32_t p = order.stages;
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::int64_t> ends;  // backward?, k, mb
  std::vector<std::size_t> next(p, 0);
  std::vector<std::int64_t> clock(p, 0);
  std::vector<bool> met(p, false);
  const auto length = [&](Pass pass) {
    return pass == Pass::forward      ? cost.forward
           : pass == Pass::input_grad ? cost.input_grad
           : pass == Pass::backward   ? cost.input_grad + cost.weight_grad
                                      : cost.weight_grad;
  };
  const auto k_of = [&](std::uint32_t s, const Slot& slot) {
    return slot.chunk == 0 ? s : p - 1 - s;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t s = 0; s < p; ++s) {
      const std::vector<Slot> slots = order.slots(s);
      while (next[s] < slots.size()) {
        const std::size_t i = next[s];
        const bool middle = s == p / 2 - 1 || s == p / 2;  // its first pair is not overlapped
        bool pair = i + 1 < slots.size() && slots[i].pass == Pass::forward &&
                    slots[i + 1].pass == Pass::backward;
        if (pair && middle && !met[s]) pair = false;
        std::int64_t start = clock[s], end = 0;
        bool ready = true;
        for (std::size_t j = i; j <= i + (pair ? 1 : 0); ++j) {
          end += length(slots[j].pass);
          const std::uint32_t k = k_of(s, slots[j]), b = slots[j].microbatch;
          if (slots[j].pass == Pass::weight_grad) continue;
          if (slots[j].pass == Pass::forward && k == 0) continue;
          const bool pass_of_chunk = slots[j].pass != Pass::forward && k == p - 1;
          const auto from = slots[j].pass == Pass::forward ? ends.find({false, k - 1, b})
                            : pass_of_chunk                ? ends.find({false, k, b})
                                                           : ends.find({true, k + 1, b});
          ready = ready && from != ends.end();
          if (ready) start = std::max(start, from->second);
        }
        if (!ready) break;
        end += start;
        for (std::size_t j = i; j <= i + (pair ? 1 : 0); ++j) {
          met[s] = met[s] || slots[j].pass == Pass::backward;
          if (slots[j].pass == Pass::weight_grad) continue;
          ends[{slots[j].pass != Pass::forward, k_of(s, slots[j]), slots[j].microbatch}] = end;
        }
        clock[s] = end;
        next[s] += pair ? 2 : 1;
        moved = true;
      }
    }
  }
  return *std::max_element(clock.begin(), clock.end()) -
         order.microbatches * (cost.forward + cost.input_grad + cost.weight_grad);
}

TEST(Schedule, DualPipeWithPairsAsUnitsHasItsAuthorsBubble) {
  // (p/2 - 1) x (F&B + B - 3W), B = both halves, F&B = F + B when overlapping gains nothing.
  for (const std::uint32_t p : {2u, 4u, 8u, 12u}) {
    for (const std::uint32_t m : {2 * p, 2 * p + 6}) {
      for (const PassCost& cost : {PassCost{1, 1, 1}, PassCost{10, 10, 5}, PassCost{12, 12, 9}}) {
        const std::int64_t b = cost.input_grad + cost.weight_grad;
        EXPECT_EQ(bubble_of_pairs(order_of(Kind::dual_pipe, p, m, 2), cost),
                  (p / 2 - 1) * (cost.forward + b + b - 3 * cost.weight_grad));
      }
    }
  }
}

TEST(Schedule, EveryStageHoldsAsManyAsItsPaperSays) {
  for_each_order(Kind::one_f_one_b, [](const PipelineOrder& order) {
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      EXPECT_EQ(max_in_flight(order, s), std::min(order.microbatches, order.stages - s));
    }
  });
  for_each_order(Kind::zb_h1, [](const PipelineOrder& order) {
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      EXPECT_EQ(max_in_flight(order, s), std::min(order.microbatches, order.stages));
    }
  });
  for_each_order(Kind::zb_v, [](const PipelineOrder& order) {
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      const std::uint32_t most = 2 * std::min(order.microbatches, order.stages);
      EXPECT_LE(max_in_flight(order, s), most);
      if (order.microbatches + 1 >= 2 * order.stages) {
        EXPECT_EQ(max_in_flight(order, s), most);
      }
    }
  });
  for_each_order(Kind::dual_pipe, [](const PipelineOrder& order) {
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      EXPECT_EQ(max_in_flight(order, s), order.stages + 1);
    }
  });
}

TEST(Schedule, VirtualStagesLieWhereTheyShould) {
  const auto places = [](const PipelineOrder& order, std::size_t pipe) {
    std::vector<std::pair<int, int>> list;
    for (const ChunkPlace& each : order.pipes[pipe]) list.emplace_back(each.stage, each.chunk);
    return list;
  };
  using testing::ElementsAre;
  using testing::Pair;
  EXPECT_THAT(places(order_of(Kind::interleaved, 2, 2, 2), 0),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(0, 1), Pair(1, 1)));
  EXPECT_THAT(places(order_of(Kind::zb_v, 2, 2, 2), 0),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(1, 1), Pair(0, 1)));
  const PipelineOrder both = order_of(Kind::dual_pipe, 2, 4, 2);
  EXPECT_THAT(places(both, 0), ElementsAre(Pair(0, 0), Pair(1, 0)));
  EXPECT_THAT(places(both, 1), ElementsAre(Pair(1, 1), Pair(0, 1)));
  EXPECT_EQ(both.pipe_of(1), 0u);
  EXPECT_EQ(both.pipe_of(2), 1u);
}

TEST(Schedule, WhatAKindCannotDoIsRefusedByName) {
  const struct {
    Kind kind;
    std::uint32_t p, m, v;
    const char* rule;
  } cases[] = {{Kind::interleaved, 4, 6, 2, "rule interleaved-microbatches"},
               {Kind::zb_v, 4, 8, 1, "rule two-chunks"},
               {Kind::dual_pipe, 4, 8, 4, "rule two-chunks"},
               {Kind::dual_pipe, 3, 8, 2, "rule dual-pipe-stages"},
               {Kind::dual_pipe, 4, 9, 2, "rule dual-pipe-microbatches"},
               {Kind::dual_pipe, 4, 6, 2, "rule dual-pipe-microbatches"},
               {Kind::gpipe, 4, 8, 2, "rule one-chunk"},
               {Kind::one_f_one_b, 4, 8, 2, "rule one-chunk"},
               {Kind::zb_h1, 4, 8, 2, "rule one-chunk"}};
  for (const auto& each : cases) {
    const Result<PipelineOrder> order = pipeline_order(each.kind, each.p, each.m, each.v);
    ASSERT_FALSE(order) << each.rule;
    EXPECT_EQ(order.error().code, Errc::config_conflict);
    EXPECT_THAT(order.error().hint, testing::HasSubstr(each.rule));
  }
  EXPECT_FALSE(pipeline_order(Kind::gpipe, 0, 1, 1));
  EXPECT_FALSE(pipeline_order(Kind::gpipe, 1, 0, 1));
  EXPECT_FALSE(bubble_formula(Kind::file, 4, 8, 1, {}));
}

TEST(Schedule, SizeIsLimited) {
  // limits::kScheduleSlots
  const Result<PipelineOrder> order = pipeline_order(Kind::one_f_one_b, 1u << 24, 1u << 30, 1);
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().code, Errc::limit_exceeded);
  EXPECT_TRUE(pipeline_order(Kind::one_f_one_b, 1, limits::kScheduleSlots / 3, 1));
  EXPECT_FALSE(pipeline_order(Kind::one_f_one_b, 1, limits::kScheduleSlots / 3 + 1, 1));
  EXPECT_FALSE(pipeline_order(Kind::one_f_one_b, limits::kScheduleSlots / 3 + 1, 1, 1));
}

}  // namespace
}  // namespace orrery::workload

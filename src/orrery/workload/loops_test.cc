// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "orrery/workload/schedule.h"

namespace orrery::workload {
namespace {

/// The tasks of one stage; a recipe per pass and chunk.
std::vector<Task> tasks_of(const PipelineOrder& order, std::uint32_t stage) {
  std::vector<Task> tasks;
  for (const Slot& slot : order.slots[stage]) {
    const auto kind = static_cast<TaskKind>(slot.pass);
    tasks.push_back({kind, slot.chunk, 4u * slot.chunk + static_cast<std::uint32_t>(slot.pass),
                     slot.microbatch});
  }
  return tasks;
}

std::vector<Task> tasks_of(ScheduleKind kind, std::uint32_t stages, std::uint32_t microbatches,
                           std::uint32_t chunks, std::uint32_t stage) {
  return tasks_of(*pipeline_order(kind, stages, microbatches, chunks), stage);
}

std::size_t written(const std::vector<TaskLoop>& loops) {
  std::size_t tasks = 0;
  for (const TaskLoop& loop : loops) tasks += loop.tasks.size();
  return tasks;
}

/// The loop that stands for most tasks.
const TaskLoop& longest(const std::vector<TaskLoop>& loops) {
  return *std::max_element(loops.begin(), loops.end(), [](const TaskLoop& a, const TaskLoop& b) {
    return a.tasks.size() * a.count < b.tasks.size() * b.count;
  });
}

TEST(Loops, NothingAndOneTask) {
  EXPECT_TRUE(fold_tasks({}).empty());
  const std::vector<TaskLoop> one = fold_tasks({Task{TaskKind::step, 0, 3, 0}});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].count, 1u);
  EXPECT_THAT(one[0].tasks, testing::ElementsAre(Task{TaskKind::step, 0, 3, 0}));
}

TEST(Loops, SteadyStateOf1F1BIsOneLoop) {
  // Stage 2 of 8 with 64 microbatches: 5 forward passes ahead.
  const std::vector<TaskLoop> loops = fold_tasks(tasks_of(ScheduleKind::one_f_one_b, 8, 64, 1, 2));
  ASSERT_EQ(loops.size(), 3u);
  EXPECT_THAT(loops[0].tasks, testing::ElementsAre(Task{TaskKind::forward, 0, 0, 0}));
  EXPECT_EQ(loops[0].count, 5u);
  EXPECT_EQ(loops[0].stride, 1u);
  EXPECT_THAT(loops[1].tasks, testing::ElementsAre(Task{TaskKind::forward, 0, 0, 5},
                                                   Task{TaskKind::backward, 0, 1, 0}));
  EXPECT_EQ(loops[1].count, 59u);
  EXPECT_EQ(loops[1].stride, 1u);
  EXPECT_THAT(loops[2].tasks, testing::ElementsAre(Task{TaskKind::backward, 0, 1, 59}));
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
        const std::vector<Task> tasks = tasks_of(each.kind, 4, microbatches, each.chunks, stage);
        const std::vector<TaskLoop> loops = fold_tasks(tasks);
        EXPECT_EQ(unfold_tasks(loops), tasks);
        EXPECT_EQ(longest(loops).tasks.size(), each.period) << static_cast<int>(each.kind);
        EXPECT_LE(written(loops), 3 * each.period + 40) << "whatever the microbatches";
      }
    }
  }
}

TEST(Loops, LastMicrobatchWithItsOwnRecipeStaysOutside) {
  // Gradients are reduced in the backward pass of the last microbatch only.
  std::vector<Task> tasks = tasks_of(ScheduleKind::one_f_one_b, 4, 32, 1, 3);
  tasks.back().recipe = 9;
  const std::vector<TaskLoop> loops = fold_tasks(tasks);
  EXPECT_EQ(unfold_tasks(loops), tasks);
  EXPECT_EQ(longest(loops).count, 31u);
  EXPECT_EQ(loops.back().tasks.back().recipe, 9u);
}

TEST(Loops, MicrobatchesThatShrinkAreNotALoop) {
  std::vector<Task> tasks;
  for (std::uint32_t b = 8; b-- > 0;) tasks.push_back({TaskKind::backward, 0, 0, b});
  EXPECT_EQ(fold_tasks(tasks).size(), 1u);
  EXPECT_EQ(fold_tasks(tasks)[0].tasks, tasks);
}

TEST(Loops, StrideMayBeNothing) {
  const std::vector<TaskLoop> loops =
      fold_tasks(std::vector<Task>(7, {TaskKind::forward, 0, 1, 5}));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].count, 7u);
  EXPECT_EQ(loops[0].stride, 0u);
}

/// Tasks and loops of the cheapest cut, by trying all repeats from every place.
std::size_t least_cost(const std::vector<Task>& tasks) {
  const auto same = [&](std::size_t i, std::size_t period, std::uint32_t stride) {
    Task moved = tasks[i];
    moved.microbatch += stride;
    return tasks[i + period] == moved;
  };
  std::vector<std::size_t> cost(tasks.size() + 1, 0);
  for (std::size_t i = tasks.size(); i-- > 0;) {
    cost[i] = cost[i + 1] + 1;
    for (std::size_t period = 1; i + 2 * period <= tasks.size(); ++period) {
      const std::uint32_t stride = tasks[i + period].microbatch - tasks[i].microbatch;
      if (stride > 1u << 31) continue;  // it shrinks
      std::size_t end = i;
      while (end + period < tasks.size() && same(end, period, stride)) ++end;
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
    // Few recipes and small steps, with pieces copied, so that repeats of all kinds come about.
    std::vector<Task> tasks;
    const std::size_t size = random() % 60;
    while (tasks.size() < size) {
      if (!tasks.empty() && random() % 3 == 0) {
        const std::size_t length = 1 + random() % tasks.size();
        const std::uint32_t stride = random() % 3;
        for (std::size_t i = 0; i < length; ++i) {
          tasks.push_back(tasks[tasks.size() - length]);
          tasks.back().microbatch += stride;
        }
      } else {
        tasks.push_back({TaskKind::forward, 0, static_cast<std::uint32_t>(random() % 2),
                         static_cast<std::uint32_t>(random() % 3)});
      }
    }
    const std::vector<TaskLoop> loops = fold_tasks(tasks);
    EXPECT_EQ(unfold_tasks(loops), tasks);
    std::size_t cost = written(loops);
    for (const TaskLoop& loop : loops) cost += loop.count > 1 ? 1 : 0;
    EXPECT_EQ(cost, least_cost(tasks));
    if (HasFailure()) break;
  }
}

TEST(Loops, LongListsTakeLittleTime) {
  // 196,608 tasks: a quadratic search would not end.
  const std::vector<Task> tasks = tasks_of(ScheduleKind::zb_h1, 8, 65536, 1, 3);
  const std::vector<TaskLoop> loops = fold_tasks(tasks);
  EXPECT_EQ(unfold_tasks(loops), tasks);
  EXPECT_LE(written(loops), 40u);
}

}  // namespace
}  // namespace orrery::workload

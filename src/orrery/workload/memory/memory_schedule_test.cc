// SPDX-License-Identifier: Apache-2.0
//
// Activations in flight against the closed forms of the schedules' papers.
#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/memory/memory_testing.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kKept = 1000;  // of one chunk of a stage, by one microbatch

/// Activations at the peak of `stage`, in units of one chunk.
std::int64_t in_flight(ScheduleKind kind, std::uint32_t stages, std::uint32_t microbatches,
                       std::uint32_t chunks, std::uint32_t stage = 0) {
  const auto order = pipeline_order(kind, stages, microbatches, chunks);
  EXPECT_TRUE(order.has_value()) << (order ? "" : to_string(order.error()));
  if (!order) return -1;
  const std::vector<std::vector<PartRun>> runs(chunks, {{0, 1, 0}});
  const Program program = program_of({}, {layer(kKept)}, {role_of(runs, order->slots(stage))});
  const auto report = account_memory(program, {.fragmentation = 0});
  EXPECT_TRUE(report.has_value());
  EXPECT_EQ(report->roles[0].activations % kKept, 0);
  EXPECT_EQ(report->roles[0].activations, max_in_flight(*order, stage) * kKept);
  return report->roles[0].activations / kKept;
}

// GPipe (Huang et al., 2019): all of them.
TEST(MemorySchedule, GpipeHoldsEveryMicrobatch) {
  for (const std::uint32_t m : {1u, 4u, 13u}) {
    EXPECT_EQ(in_flight(ScheduleKind::gpipe, 4, m, 1), m);
    EXPECT_EQ(in_flight(ScheduleKind::gpipe, 4, m, 1, 3), m);
  }
}

// Narayanan et al. (SC21), section 2.2.1: as many as there are stages from here to the end.
TEST(MemorySchedule, OneForwardOneBackwardHoldsAsManyAsStagesFollow) {
  for (const std::uint32_t p : {1u, 2u, 4u, 8u}) {
    for (const std::uint32_t m : {1u, 3u, 8u, 20u}) {
      for (std::uint32_t s = 0; s < p; ++s) {
        EXPECT_EQ(in_flight(ScheduleKind::one_f_one_b, p, m, 1, s), std::min(p - s, m));
      }
    }
  }
}

// Korthikanti et al. (MLSys 2023), section 4.2.3: p (1 + (p - 1) / (p v)) stages' worth of layers,
// thus p v + p - 1 chunks, on the first stage.
TEST(MemorySchedule, InterleavingHoldsALittleMore) {
  for (const std::uint32_t p : {2u, 4u, 8u}) {
    for (const std::uint32_t v : {2u, 3u, 4u}) {
      EXPECT_EQ(in_flight(ScheduleKind::interleaved, p, 8 * p, v), p * v + p - 1);
    }
  }
}

// Qi et al. (ICLR 2024), table 1: ZB-H1 holds no more than 1F1B does on its first stage.
TEST(MemorySchedule, ZeroBubbleH1HoldsWhat1F1BDoes) {
  for (const std::uint32_t p : {2u, 4u, 8u}) {
    EXPECT_EQ(in_flight(ScheduleKind::zb_h1, p, 4 * p, 1), p);
    for (std::uint32_t s = 1; s < p; ++s) {
      EXPECT_LE(in_flight(ScheduleKind::zb_h1, p, 4 * p, 1, s), p);
    }
  }
}

// Qi et al. (NeurIPS 2024), table 1: p stages' worth, on every stage; a chunk is half a stage.
TEST(MemorySchedule, ZeroBubbleVHoldsTheSameOnEveryStage) {
  for (const std::uint32_t p : {2u, 4u, 8u}) {
    for (std::uint32_t s = 0; s < p; ++s) {
      EXPECT_EQ(in_flight(ScheduleKind::zb_v, p, 4 * p, 2, s), 2 * p) << p << " " << s;
    }
  }
}

// DeepSeek-V3 report (arXiv 2412.19437), table 2: one more than there are stages.
TEST(MemorySchedule, DualPipeHoldsOneMoreThanStages) {
  for (const std::uint32_t p : {2u, 4u, 8u}) {
    std::int64_t most = 0;
    for (std::uint32_t s = 0; s < p; ++s) {
      most = std::max(most, in_flight(ScheduleKind::dual_pipe, p, 4 * p, 2, s));
    }
    EXPECT_EQ(most, p + 1) << p;
  }
}

}  // namespace
}  // namespace orrery::workload

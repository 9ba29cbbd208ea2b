// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/pipeline_bubble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using testing::HasSubstr;
using testing::Not;

Spec pipeline_spec(std::int64_t stages, std::int64_t microbatches, ScheduleKind kind,
                   std::int64_t chunks = 1) {
  Spec spec;
  spec.model.layers = 32;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.vocab = 1024;
  spec.parallel.pp = stages;
  spec.batch.global = microbatches;
  spec.batch.seq = 32;
  spec.schedule.kind = kind;
  spec.schedule.chunks = chunks;
  return spec;
}

/// What stands behind pipeline_bubble; empty where it is not counted.
std::string remark(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program) << to_string(program.error());
  for (const Finding& each : findings.list()) {
    if (each.code == FindingCode::pipeline_bubble) return each.places.front();
  }
  return {};
}

TEST(Bubble, IsThatOfThePlayedSchedule) {
  for (const ScheduleEntry* schedule : kSchedules) {
    const ScheduleKind kind = schedule->kind;
    for (const std::int64_t stages : {2, 4, 8}) {
      for (const std::int64_t microbatches : {16, 32}) {
        const Spec spec =
            pipeline_spec(stages, microbatches, kind, schedule->chunks == ChunkCount::one ? 1 : 2);
        ASSERT_TRUE(check_spec(spec));
        const auto order = order_of(spec);
        ASSERT_TRUE(order);
        const PipelineTimeline timeline = pipeline_timeline(*order, {});
        EXPECT_DOUBLE_EQ(bubble_share(spec, *order),
                         static_cast<double>(timeline.bubble()) / static_cast<double>(timeline.end))
            << static_cast<int>(kind) << " " << stages << " " << microbatches;
      }
    }
  }
}

TEST(Bubble, OneMicrobatchThroughFourStagesIsRemarkedUpon) {
  const std::string text = remark(pipeline_spec(4, 1, ScheduleKind::one_f_one_b));
  EXPECT_THAT(text, HasSubstr("75 % with 1f1b, 1 microbatch and 4 stages"));
  EXPECT_THAT(text, HasSubstr("; 9 % with batch.global = 32"));  // 3 / 35
  EXPECT_THAT(text, Not(HasSubstr("interleaved"))) << "one microbatch is no multiple of 4";
  EXPECT_THAT(text, HasSubstr("; 50 % with parallel.pp = 2, parallel.tp = 2"));
}

TEST(Bubble, OtherSchedulesAreOfferedWhereTheyAreLegal) {
  const std::string text = remark(pipeline_spec(4, 4, ScheduleKind::one_f_one_b));
  EXPECT_THAT(text, HasSubstr("43 % with 1f1b, 4 microbatches and 4 stages"));  // 3 / 7
  EXPECT_THAT(text, HasSubstr("; 9 % with schedule.kind = interleaved, schedule.chunks = 8"));
  EXPECT_THAT(text, HasSubstr("; 20 % with schedule.kind = zb_h1"));  // 3 / 15
  Spec few = pipeline_spec(4, 4, ScheduleKind::one_f_one_b);
  few.model.layers = 8;
  EXPECT_THAT(remark(few), HasSubstr("schedule.chunks = 2")) << "8 layers are 8 parts at most";
}

TEST(Bubble, WhatIsSmallIsNot) {
  EXPECT_EQ(remark(pipeline_spec(4, 32, ScheduleKind::one_f_one_b)), "");
  EXPECT_EQ(remark(pipeline_spec(4, 7, ScheduleKind::one_f_one_b)), "")
      << "3 / 10 is not above 30 %";
  EXPECT_NE(remark(pipeline_spec(4, 6, ScheduleKind::one_f_one_b)), "");
  EXPECT_EQ(remark(pipeline_spec(1, 1, ScheduleKind::one_f_one_b)), "");
}

/// The default number of microbatches leaves no bubble to speak of, with any schedule.
TEST(Bubble, DefaultsAreNotRemarkedUpon) {
  for (const ScheduleEntry* schedule : kSchedules) {
    const ScheduleKind kind = schedule->kind;
    const bool two = find_schedule(kind)->chunks != ChunkCount::one;
    for (const std::int64_t stages : {2, 4, 8, 16})
      EXPECT_EQ(remark(pipeline_spec(stages, 0, kind, two ? 2 : 1)), "") << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace orrery::workload

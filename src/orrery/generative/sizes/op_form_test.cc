// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/op_form.h"

#include <gtest/gtest.h>

#include "orrery/generative/program/jobs_testing.h"
#include "orrery/generative/sizes/random_jobs.h"

namespace orrery::generative {
namespace {

void expect_round_trip(const workload::Program& program) {
  for (const workload::Role& role : program.roles) {
    for (const workload::TaskLoop& loop : role.tasks) {
      for (const workload::Task& task : loop.tasks) {
        for (const workload::Segment& segment : role.recipes[task.recipe]) {
          for (const workload::Op& op : program.bodies[segment.body].ops) {
            const OpForm form = form_of(op, task.chunk);
            const OpNumbers numbers = numbers_of(op);
            ASSERT_TRUE(is_valid(form)) << op.name;
            ASSERT_TRUE(are_valid(numbers)) << op.name;
            const workload::Op again = make_op(form, numbers, task.chunk);
            EXPECT_EQ(form_of(again, task.chunk), form);
            EXPECT_EQ(numbers_of(again), numbers);
            EXPECT_EQ(again.stream, op.stream);
            EXPECT_EQ(again.waits, op.waits);
            EXPECT_EQ(again.marks, op.marks);
            EXPECT_EQ(workload::kernel_of(again), workload::kernel_of(op));
          }
        }
      }
    }
  }
}

TEST(OpForms, RoundTripOfEveryOp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    expect_round_trip(program_of(random_job_text(seed)));
  expect_round_trip(program_of(job_text(2, 4, 2, 8, "schedule: {kind: interleaved, chunks: 2}\n")));
  expect_round_trip(program_of(job_text(1, 4, 2, 4, "schedule: {kind: zb_h1}\n")));
}

TEST(OpForms, ChunksShareForms) {
  const auto program =
      program_of(job_text(1, 4, 1, 8, "schedule: {kind: interleaved, chunks: 2}\n"));
  workload::Op op;
  op.name = "send";
  op.stream = workload::stream::send_forward(0);
  workload::Op other = op;
  other.stream = workload::stream::send_forward(1);
  EXPECT_EQ(form_of(op, 0), form_of(other, 1));
  EXPECT_NE(form_of(op, 0), form_of(other, 0));
}

TEST(OpForms, RefuseValuesOutOfRange) {
  OpForm form;
  form.name = "x";
  EXPECT_TRUE(is_valid(form));
  for (const char* name : {"", "two words", "line\nbreak"}) {
    OpForm bad = form;
    bad.name = name;
    EXPECT_FALSE(is_valid(bad)) << name;
  }
  OpForm bad = form;
  bad.stream = -1;
  EXPECT_FALSE(is_valid(bad));
  bad = form;
  bad.kind = static_cast<graph::NodeKind>(200);
  EXPECT_FALSE(is_valid(bad));
  bad = form;
  bad.axis = static_cast<workload::Axis>(workload::kAxes);
  EXPECT_FALSE(is_valid(bad));
  OpNumbers numbers{};
  EXPECT_TRUE(are_valid(numbers));
  numbers[static_cast<std::size_t>(Number::message_id)] = workload::kMaxMessageId;
  EXPECT_FALSE(are_valid(numbers));
}

}  // namespace
}  // namespace orrery::generative

// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedules/schedule_plan.h"

#include <gtest/gtest.h>

#include "orrery/synthesis/fabric/fabric_state_testing.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"
#include "orrery/synthesis/search/synthesize.h"

namespace orrery::synthesis {
namespace {

using enum graph::CollectiveType;

SynthesisQuestion small(graph::CollectiveType type) {
  SynthesisQuestion question;
  question.type = type;
  question.bytes = Bytes(1 << 20);
  question.chunks = 2;
  question.root = 1;
  return question;
}

void expect_right(const FabricState& fabric, const SynthesisQuestion& question) {
  const auto made = synthesize(fabric, question);
  ASSERT_TRUE(made) << to_string(made.error());
  const auto plan = plan_of_schedule(made->schedule, "made");
  ASSERT_TRUE(plan) << to_string(plan.error());
  const PlanCheck check = check_plan(*plan);
  EXPECT_TRUE(check.is_valid()) << graph::name(question.type) << ": "
                                << (check.errors.empty() ? "" : check.errors.front().what);
  EXPECT_TRUE(check.result_checked) << check.unchecked_reason;
  EXPECT_TRUE(lower_plan(*plan));
  const auto text = write_msccl(*plan);
  ASSERT_TRUE(text) << to_string(text.error());
  Findings findings;
  const auto again = read_msccl(*text, "made.xml", findings);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(check_plan(*again).is_valid());
}

// A checker that knows nothing of schedules says that plans do what their collective should.
TEST(SchedulePlans, DoWhatTheyShould) {
  for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce}) {
    expect_right(torus({3, 3}), small(type));
    expect_right(mesh({4, 2}), small(type));
    expect_right(rails(2), small(type));
    for (std::uint64_t seed = 0; seed < 8; ++seed)
      expect_right(random_fabric(seed, {.devices = 7, .switches = 2, .more_links = 6}),
                   small(type));
  }
}

// Groups that share links and ranks: a plan each, in which no others hand on.
TEST(SchedulePlans, OfSeveralGroupsAreOneEach) {
  for (const FabricState& fabric : {torus({4, 4}), mesh({4, 4}), rails(2)}) {
    for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast}) {
      SynthesisQuestion question = small(type);
      question.relays = false;
      question.streams = false;
      question.groups = {{0, 1, 2, 3}, {1, 2, 3, 7}, {8, 12, 13, 9, 5, 4}};
      const auto made = synthesize(fabric, question);
      ASSERT_TRUE(made) << to_string(made.error());
      EXPECT_EQ(schedule_error(fabric, made->schedule), "");
      EXPECT_GE(made->time, made->bound.total);
      const auto plans = plans_of_schedule(made->schedule, "made");
      ASSERT_TRUE(plans) << graph::name(type) << ": " << to_string(plans.error());
      ASSERT_EQ(plans->size(), 3U);
      EXPECT_EQ((*plans)[2].name, "made, group 3");
      EXPECT_EQ((*plans)[2].ranks.size(), 6U);
      for (const Plan& plan : *plans) {
        const PlanCheck check = check_plan(plan);
        EXPECT_TRUE(check.is_valid()) << graph::name(type);
        EXPECT_TRUE(check.result_checked) << check.unchecked_reason;
      }
    }
  }
}

TEST(SchedulePlans, WhatCannotBeIsSaid) {
  const FabricState fabric = torus({4, 4});
  const auto wrong = [&](SynthesisQuestion question) {
    const auto made = synthesize(fabric, question);
    EXPECT_TRUE(made);
    const auto plan = plan_of_schedule(made->schedule, "made");
    return plan ? std::string() : plan.error().what;
  };
  SynthesisQuestion question = small(all_gather);
  question.root = 0;
  question.groups = {{0, 1}, {2, 3}};
  EXPECT_EQ(wrong(question), "a plan can have only one group of ranks");
  question.groups = {{0, 10}};
  EXPECT_EQ(wrong(question), "a device outside the group relays data");
  question.groups.clear();
  question.bytes = Bytes(3);
  EXPECT_EQ(wrong(question), "the collective has fewer bytes than pieces");
}

}  // namespace
}  // namespace orrery::synthesis

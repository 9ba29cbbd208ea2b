// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/microbatches.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "addons/bench/planner/bench_testing.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;

/// So many microbatches of two operators forward and one backward, an optimizer's before (its
/// gradients' zeros) and after them, and one that comes last.
std::vector<NodeLine> microbatched(int count) {
  std::vector<NodeLine> nodes;
  int id = 10, now = 100;
  const auto relu = [&](int parent) {
    nodes.push_back(relu_node(id++, now, now, now + 1, now + 1, parent));
    ++now;
  };
  const auto under = [&](const char* name) {
    nodes.push_back({id, name, ""});
    const int parent = id++;
    relu(parent);
  };
  under("Optimizer.zero_grad#SGD.zero_grad");
  for (int i = 0; i < count; ++i) {
    relu(2), relu(2);
    under("ReluBackward0");
  }
  under("Optimizer.step#SGD.step");
  relu(2);
  return nodes;
}

Result<ReplayPlan> with_microbatches(int count, const std::string& stay) {
  PlanOptions options;
  options.select.part = *parse_part("microbatches=" + stay);
  return plan_of(microbatched(count), few_operators(), options);
}

TEST(BenchMicrobatches, TheFirstOnesStay) {
  for (const int stay : {1, 2, 3}) {
    const auto plan = with_microbatches(4, std::to_string(stay));
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->sources.size(), 3u + 3 * static_cast<std::size_t>(stay));
    EXPECT_TRUE(plan->steps.back().outputs.size() == 1) << "what comes last stays";
  }
}

TEST(BenchMicrobatches, ThereMustBeMore) {
  for (const char* stay : {"0", "4", "5"})
    EXPECT_EQ(with_microbatches(4, stay).error().code, Errc::usage) << stay;
  EXPECT_EQ(with_microbatches(1, "1").error().code, Errc::usage);
  EXPECT_EQ(with_microbatches(0, "1").error().code, Errc::usage);
}

TEST(BenchMicrobatches, PassesOfPipelinesOverlap) {
  profile::Maker make;
  const auto main = make.thread(1);
  const auto first = make.op(main, "aten::mm", 0, 10), send = make.op(main, "c10d::send", 10, 5);
  make.comm(send, profile::CommKind::send, 16);
  const profile::Profile profile = make.take();
  EXPECT_EQ(microbatches_of(profile, {first}).error().code, Errc::input_missing_attr);
}

TEST(BenchMicrobatches, BeginWhereTheForwardPassDoesAgain) {
  profile::Maker make;
  const auto main = make.thread(1);
  std::vector<profile::EventId> ops;
  std::int64_t now = 0;
  for (const char pass : std::string("FFBFBBOF")) {
    if (pass == 'B') make.op(main, "autograd::engine::evaluate_function: X", now, 10);
    if (pass == 'O') make.op(main, "Optimizer.step#Adam.step", now, 10);
    ops.push_back(make.op(main, "aten::mm", now + 1, 5));
    now += 10;
  }
  const profile::Profile profile = make.take();
  const auto found = microbatches_of(profile, ops);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->count, 2u);
  EXPECT_THAT(found->of, ElementsAre(0, 0, 0, 1, 1, 1, kNoMicrobatch, kNoMicrobatch));
}

}  // namespace
}  // namespace orrery::bench

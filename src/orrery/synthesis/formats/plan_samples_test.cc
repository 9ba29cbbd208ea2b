// SPDX-License-Identifier: Apache-2.0
//
// Plans of other projects: all of shared/data/fabrics, and broken variants of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "orrery/core/paths_testing.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::synthesis {
namespace {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(core_testing::kSourceFolder) / "../shared/data/fabrics";
/// Our own, which every checkout has.
const fs::path kOwn = fs::path(core_testing::kSourceFolder) / "examples/plans";

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().string().find("broken") == std::string::npos) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// All plans that can be read.
void for_each_plan(const std::function<void(const std::string&, const Plan&)>& act) {
  for (const fs::path& folder : {kOwn, kSamples / "msccl", kSamples / "mscclpp"}) {
    for (const fs::path& file : files_in(folder)) {
      SCOPED_TRACE(file.filename().string());
      Findings findings;
      const auto plan = read_plan_file(file.string(), findings);
      if (plan) act(file.filename().string(), *plan);
    }
  }
}

/// The middle one of those that fit, if any do.
std::optional<StepPosition> middle(const Plan& plan,
                                   const std::function<bool(const PlanStep&)>& fits) {
  std::vector<StepPosition> all;
  for_each_step(plan, [&](const StepPosition& at, const PlanBlock&, const PlanStep&) {
    if (fits(step_at(plan, at))) all.push_back(at);
  });
  if (all.empty()) return std::nullopt;
  return all[all.size() / 2];
}

PlanStep& step_of(Plan& plan, const StepPosition& at) {
  return plan.ranks[at.rank].blocks[at.block].steps[at.step];
}

TEST(PlanSamples, AreReadAndRight) {
  std::size_t read = 0, own = 0;
  for (const fs::path& folder : {kOwn, kSamples / "msccl", kSamples / "mscclpp"}) {
    for (const fs::path& file : files_in(folder)) {
      SCOPED_TRACE(file.filename().string());
      Findings findings;
      const auto plan = read_plan_file(file.string(), findings);
      if (file.filename().string().find("alltoallv") != std::string::npos) {
        ASSERT_FALSE(plan);
        EXPECT_NE(plan.error().what.find("spans of 512 and of 256 chunks"), std::string::npos);
        continue;
      }
      ASSERT_TRUE(plan) << to_string(plan.error());
      const PlanCheck check = check_plan(*plan);
      EXPECT_TRUE(check.is_valid()) << check.errors.front().what;
      EXPECT_EQ(check.result_checked, plan->collective != CollectiveType::unknown);
      EXPECT_TRUE(lower_plan(*plan));
      ++read;
      own += folder == kOwn ? 1 : 0;
    }
  }
  EXPECT_GE(own, 2u);
  if (!fs::exists(kSamples)) GTEST_SKIP() << "shared/data/fabrics is not beside this checkout";
  EXPECT_EQ(read - own, 48u);
}

TEST(PlanSamples, TacclsFilesAreNoPlans) {
  for (const fs::path& file : files_in(kSamples / "taccl")) {
    Findings findings;
    const auto plan = read_plan_file(file.string(), findings);
    ASSERT_FALSE(plan) << file;
    EXPECT_EQ(plan.error().code, Errc::input_unsupported);
    EXPECT_NE(plan.error().what.find("TACCL"), std::string::npos) << plan.error().what;
  }
}

TEST(PlanSamples, WrittenAndReadAgainAreTheSame) {
  for_each_plan([](const std::string&, const Plan& plan) {
    if (plan.format != "MSCCL") return;
    const auto text = write_msccl(plan);
    ASSERT_TRUE(text) << to_string(text.error());
    Findings findings;
    const auto again = read_msccl(*text, "again.xml", findings);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_TRUE(*again == plan);
    EXPECT_EQ(*write_msccl(*again), *text);
    EXPECT_TRUE(findings.empty());
  });
}

TEST(PlanSamples, ADroppedReceiveIsNamed) {
  for_each_plan([](const std::string&, const Plan& plan) {
    const auto at = middle(plan, [](const PlanStep& step) { return step.receives; });
    if (!at) return;  // MSCCL++ has no messages
    const PlanOrder order = make_plan_order(plan);
    const StepPosition sender = order.numbers.at(order.sender_of[order.numbers.index_of(*at)]);
    Plan broken = plan;
    PlanStep& step = step_of(broken, *at);
    step.receives = false;
    step.ends.reset();
    if (!step.sends) step.type = StepType::nop, step.reads.clear(), step.writes.clear();
    const PlanCheck check = check_plan(broken);
    ASSERT_FALSE(check.is_valid());
    EXPECT_EQ(check.errors.front().fault, PlanFault::no_receiver);
    // The very one, where places say so; else the last of its connection.
    EXPECT_EQ(check.errors.front().at.rank, sender.rank);
    EXPECT_EQ(check.errors.front().at.block, sender.block);
    EXPECT_GE(check.errors.front().at.step, sender.step);
  });
}

/// Whether a step, or one before it in its block, moves data or waits for another block.
bool moves_before(const Plan& plan, const StepPosition& at) {
  const auto& steps = plan.ranks[at.rank].blocks[at.block].steps;
  return std::any_of(steps.begin(), steps.begin() + at.step + 1,
                     [](const PlanStep& step) { return step.count > 0 || !step.waits.empty(); });
}

// Signals that say no more than that a rank is there, before anything was moved, are for who runs
// it twice.
TEST(PlanSamples, ADroppedWaitIsNamed) {
  for_each_plan([](const std::string&, const Plan& plan) {
    if (plan.collective == CollectiveType::unknown) return;
    const PlanOrder order = make_plan_order(plan);
    for_each_step(plan, [&](const StepPosition& at, const PlanBlock&, const PlanStep&) {
      const PlanStep& step = step_at(plan, at);
      if (step.waits.empty() && !step.reads_packets) return;
      SCOPED_TRACE(to_text(plan, at));
      bool needed = step.reads_packets;
      const std::uint32_t number = order.numbers.index_of(at);
      for (std::uint32_t i = order.before_offsets[number]; i < order.before_offsets[number + 1];
           ++i)
        needed = needed || (order.why[i] == PlanEdge::counter &&
                            moves_before(plan, order.numbers.at(order.before[i])));
      Plan broken = plan;
      step_of(broken, at).waits.clear();
      step_of(broken, at).reads_packets = false;
      const PlanCheck check = check_plan(broken);
      EXPECT_EQ(check.is_valid(), !needed);
      if (needed) {
        EXPECT_EQ(check.errors.front().fault, PlanFault::race);
      }
    });
  });
}

TEST(PlanSamples, ADoubledReductionIsNamed) {
  for_each_plan([](const std::string&, const Plan& plan) {
    const auto at = middle(
        plan, [](const PlanStep& step) { return step.reads.size() + (step.receives ? 1 : 0) > 1; });
    if (!at || plan.collective == CollectiveType::unknown) return;
    Plan broken = plan;
    PlanStep& step = step_of(broken, *at);
    step.reads.push_back(step.reads.front());
    const PlanCheck check = check_plan(broken);
    ASSERT_FALSE(check.is_valid());
    EXPECT_EQ(check.errors.front().fault, PlanFault::added_twice);
    EXPECT_EQ(check.errors.front().at, *at);
  });
}

TEST(PlanSamples, ACircleIsNamed) {
  for_each_plan([](const std::string&, const Plan& plan) {
    Plan broken = plan;
    std::optional<StepPosition> tied;
    for_each_step(plan, [&](const StepPosition& at, const PlanBlock&, const PlanStep&) {
      if (!tied && at.step > 0) tied = at;
    });
    if (tied) {
      step_of(broken, {tied->rank, tied->block, 0}).after.push_back(*tied);
    } else {
      // Blocks of one step: two messages, there and back, each sent after the other has come.
      const PlanOrder order = make_plan_order(plan);
      std::vector<std::pair<StepPosition, StepPosition>> messages;
      for_each_step(plan, [&](const StepPosition& at, const PlanBlock&, const PlanStep&) {
        for (const std::uint32_t before : order.before_of(order.numbers.index_of(at)))
          if (order.numbers.at(before).rank != at.rank)
            messages.emplace_back(order.numbers.at(before), at);
      });
      const auto& [sent, came] = messages.front();
      for (const auto& [back, there] : messages) {
        if (tied || back.rank != came.rank || there.rank != sent.rank) continue;
        step_of(broken, sent).after.push_back(there);
        step_of(broken, back).after.push_back(came);
        tied = back;
      }
    }
    ASSERT_TRUE(tied);
    const PlanCheck check = check_plan(broken);
    ASSERT_EQ(check.error_count, 1u);
    EXPECT_EQ(check.errors.front().fault, PlanFault::wait_cycle);
    std::string history;
    for (const std::string& line : check.errors.front().history) history += line + "\n";
    EXPECT_NE(history.find(to_text(plan, *tied)), std::string::npos) << history;
  });
}

}  // namespace
}  // namespace orrery::synthesis

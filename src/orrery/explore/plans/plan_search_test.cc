// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/plan_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "orrery/core/sanitized_testing.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/study/jobs/expanded_cluster.h"

namespace orrery::explore {
namespace {

PlanQuestion question() {
  PlanQuestion asked;
  asked.job.model = "llama-3-8b";
  asked.job.seq = "2048";
  asked.job.global_batch = "64";
  asked.cluster = "h100-sxm:16";
  asked.job.micro_batch = "1,2";
  asked.job.chunks = "1,2";
  asked.threads = 2;
  asked.best = 6;
  if (kSanitized) asked.job.tp = "8";
  return asked;
}

std::vector<std::string> plans(const PlanSearch& search) {
  std::vector<std::string> words;
  for (const PlanAnswer& one : search.best) words.push_back(plan_label(one.spec));
  return words;
}

// All of them simulated, or the best of the estimated ones: the same plans, in the same order.
TEST(PlanSearch, EstimatesFindWhatSimulationsFind) {
  PlanQuestion asked = question();
  const auto found = search_plans(asked);
  ASSERT_TRUE(found) << to_string(found.error());
  asked.evaluation = Evaluation::simulate;
  const auto all = search_plans(asked);
  ASSERT_TRUE(all);
  EXPECT_EQ(plans(*found), plans(*all));
  EXPECT_EQ(found->best.front().simulated, all->best.front().simulated);
  EXPECT_GT(found->fitting, rounds(20u, 2u));
  EXPECT_LT(std::abs(found->max_estimate_error), 0.03);
  for (std::size_t i = 1; i < found->best.size(); ++i)
    EXPECT_LE(found->best[i - 1].step(), found->best[i].step());
  double sum = 0;
  for (const Time part : *found->best.front().parts) sum += static_cast<double>(part.count());
  EXPECT_NEAR(sum / static_cast<double>(found->best.front().step().count()), 1, 1e-6);
}

TEST(PlanSearch, ThreadsChangeNothing) {
  PlanQuestion asked = question();
  asked.job.tp = "4,8";
  const auto two = search_plans(asked);
  asked.threads = 1;
  const auto one = search_plans(asked);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(plans(*one), plans(*two));
  for (const PlanAnswer& answer : one->best)
    EXPECT_TRUE(answer.spec.parallel.tp == 4 || answer.spec.parallel.tp == 8);
  for (std::size_t i = 0; i < one->best.size(); ++i)
    EXPECT_EQ(one->best[i].estimate, two->best[i].estimate);
}

// Every phase comes to its end, whichever plans share costs, have their own, or are simulated.
TEST(PlanSearch, ReportsTheProgressOfEveryPhase) {
  const std::string file = ::testing::TempDir() + "plan_search_progress.yaml";
  std::ofstream(file)
      << "version: 1\ndevice:\n  is: h100-sxm\n  memory_capacity: 8 GB\n"
         "  memory_expansion: {bandwidth: 500 GB/s}\n"
         "network: [{block: switch, size: 16, bandwidth: 50 GB/s, latency: 1 us}]\n";
  for (const std::string& cluster : {std::string("h100-sxm:16"), file}) {
    PlanQuestion asked = question();
    asked.cluster = cluster;
    asked.job.tp = "8";
    std::map<std::string, std::pair<std::size_t, std::size_t>> phases;  // calls, total
    const auto found = search_plans(asked, [&](const char* what, std::size_t, std::size_t of) {
      auto& [calls, total] = phases[what];
      ++calls;
      total = of;
    });
    ASSERT_TRUE(found) << to_string(found.error());
    for (const auto& [what, counts] : phases) EXPECT_EQ(counts.first, counts.second) << what;
    EXPECT_TRUE(phases.contains("cost"));
  }
}

study::Cluster cluster_of(const std::string& name) {
  study::Question asked;
  asked.cluster = name;
  Findings findings;
  auto read = study::read_cluster(asked, findings);
  if (!read) throw std::runtime_error(read.error().what);
  return *std::move(read);
}

// Plans of a search share costs, but corrections for shared links and costs with expansion memory
// depend on the plan.
TEST(PlanSearch, EstimatesEachPlanAsIfItWereAlone) {
  const std::string file = ::testing::TempDir() + "plan_search_test.yaml";
  const std::string network =
      "network:\n  - {block: ring, size: 4, bandwidth: 50 GB/s, latency: 1 us}\n"
      "  - {block: switch, size: 4, bandwidth: 25 GB/s, latency: 1 us}\n";
  for (const std::string& text : {std::string(), "device: h100-sxm\n" + network,
                                  "device:\n  is: h100-sxm\n  memory_capacity: 8 GB\n"
                                  "  memory_expansion: {bandwidth: 500 GB/s}\n" +
                                      network}) {
    std::ofstream(file) << "version: 1\n" << text;
    PlanQuestion asked = question();
    asked.cluster = text.empty() ? "h100-sxm:16" : file;
    asked.job.tp = "2,4";
    asked.evaluation = Evaluation::estimate;
    const auto found = search_plans(asked);
    ASSERT_TRUE(found) << found.error().what;
    const auto cluster = std::make_shared<const study::Cluster>(cluster_of(asked.cluster));
    for (const PlanAnswer& one : found->best) {
      Findings findings;
      const auto program = workload::assemble(one.spec, findings);
      ASSERT_TRUE(program);
      estimate::OpCosts costs(study::with_expanded_memory(*program, cluster));
      EXPECT_EQ(one.estimate, *estimate::estimate_program(*program, costs)) << plan_label(one.spec);
    }
  }
}

// All plans that split tensors have sequence parallelism, so the option changes nothing.
TEST(PlanSearch, TakesSequenceParallelismAsGiven) {
  PlanQuestion asked = question();
  asked.job.tp = "8";
  asked.evaluation = Evaluation::estimate;
  const auto without = search_plans(asked);
  asked.job.sp = true;
  const auto with = search_plans(asked);
  ASSERT_TRUE(without && with);
  EXPECT_EQ(plans(*without), plans(*with));
  EXPECT_TRUE(with->best.front().spec.parallel.sp);
}

TEST(PlanSearch, TakesWhatIsGivenAndSaysWhatItChose) {
  PlanQuestion asked = question();
  asked.job.tp = "8";
  asked.job.pp = "2";
  asked.job.sharding = "none";
  asked.job.global_batch.clear();
  asked.evaluation = Evaluation::estimate;
  const auto found = search_plans(asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plans, 4u);  // microbatches and chunks
  EXPECT_EQ(found->samples, 16 * 8);
  EXPECT_EQ(found->findings.count(FindingCode::chosen_by_default), 1u);
  for (const PlanAnswer& one : found->best) {
    EXPECT_FALSE(one.simulated);
    EXPECT_EQ(one.spec.parallel.dp, 1);
    EXPECT_EQ(one.spec.recompute.kind, workload::RecomputeKind::none);
  }
}

TEST(PlanSearch, SaysThatNothingFits) {
  PlanQuestion asked = question();
  asked.job.model = "gpt3-175b";
  asked.cluster = "h100-sxm:8";
  asked.job.micro_batch = "1";
  const auto found = search_plans(asked);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->best.empty());
  EXPECT_GT(found->too_large, 0u);
  ASSERT_TRUE(found->smallest);
  EXPECT_GT(found->smallest->memory, found->memory);
  EXPECT_EQ(found->smallest->spec.recompute.kind, workload::RecomputeKind::full);
}

// Too large, whatever of it is recomputed that may be: no rule is in the way.
TEST(PlanSearch, WhatIsTooLargeIsNotIllegal) {
  PlanQuestion asked = question();
  asked.job.model = "gpt3-175b";
  asked.cluster = "h100-sxm:8";
  asked.job.tp = "8";
  asked.job.micro_batch = "1";
  asked.job.recompute = "ops,none";  // no ops are given
  const auto found = search_plans(asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->too_large, 1u);
  EXPECT_TRUE(found->illegal.empty());
  EXPECT_EQ(found->smallest->spec.recompute.kind, workload::RecomputeKind::none);
}

// Long sequences are cut over ranks, too.
TEST(PlanSearch, CutsLongSequences) {
  PlanQuestion asked = question();
  asked.job.seq = "32768";
  asked.job.tp = "2,4";
  asked.job.pp = "1";
  asked.job.micro_batch = "1";
  asked.evaluation = Evaluation::estimate;
  asked.best = 100;
  const auto cps = [&] {
    std::map<std::int64_t, std::size_t> count;
    const auto found = search_plans(asked);
    EXPECT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->needs_simulation, 0u);
    for (const PlanAnswer& one : found->best) ++count[one.spec.parallel.cp];
    return count;
  };
  const auto open = cps();
  EXPECT_EQ(open.size(), 3u);  // 8,192 tokens a rank and more
  EXPECT_TRUE(open.contains(1) && open.contains(2) && open.contains(4));
  asked.job.cp = "2,8";
  const auto given = cps();
  EXPECT_EQ(given.size(), 2u);
  EXPECT_TRUE(given.contains(2) && given.contains(8));
  asked.job.cp.clear();
  asked.job.seq = "8192";
  EXPECT_EQ(cps().size(), 1u);
}

TEST(PlanSearch, TakesSchedules) {
  using workload::ScheduleKind;
  PlanQuestion asked = question();
  asked.job.tp = "4";
  asked.job.pp = "1,2";
  asked.job.schedule = "zb_v,zb_h1";
  asked.job.sharding = "zero1";
  asked.evaluation = Evaluation::estimate;
  const auto found = search_plans(asked);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->plans, 3u * 2);  // one stage has no schedule; microbatches
  std::set<std::string> seen;
  for (const PlanAnswer& one : found->best) {
    const auto& schedule = one.spec.schedule;
    EXPECT_EQ(schedule.chunks, schedule.kind == ScheduleKind::zb_v ? 2 : 1);
    seen.insert(plan_label(one.spec));
  }
  EXPECT_TRUE(seen.contains("tp 4, pp 2, dp 2, micro 1, zb_h1, zero1"));
  EXPECT_TRUE(seen.contains("tp 4, pp 2, dp 2, micro 1, zb_v, 2 chunks, zero1"));
  EXPECT_TRUE(seen.contains("tp 4, pp 1, dp 4, micro 1, zero1"));
}

// Many plans are estimated in columns first: the best are those that detailed estimates of every
// plan find; as many fit, and break the same rules.
TEST(PlanSearch, ColumnsLoseNoneOfTheBest) {
  PlanQuestion asked;
  asked.job.model = "llama-3-70b";
  asked.job.seq = "4096";
  asked.job.global_batch = "512";
  asked.cluster = "h100-sxm:128";
  asked.job.micro_batch = "1,2,4";
  asked.job.chunks = "1,2,5";
  asked.job.sharding = "none,zero1,zero2,zero3";
  asked.job.schedule = "gpipe,1f1b,interleaved,zb_h1";
  asked.evaluation = Evaluation::estimate;
  asked.threads = 2;
  asked.best = 5;
  const auto many = search_plans(asked);
  ASSERT_TRUE(many) << to_string(many.error());
  ASSERT_GE(many->plans, 512u);
  EXPECT_GT(many->in_columns, many->fitting / 2);
  EXPECT_LT(many->detailed, many->fitting);
  EXPECT_LT(std::abs(many->columns_error), 0.12);

  std::vector<PlanAnswer> all;
  std::uint64_t fitting = 0, too_large = 0, plans_tried = 0;
  std::map<std::string, std::uint64_t> illegal;
  asked.best = 1000;
  for (const char* tp : {"1", "2", "4", "8"}) {
    asked.job.tp = tp;
    const auto few = search_plans(asked);
    ASSERT_TRUE(few) << to_string(few.error());
    ASSERT_LT(few->plans, 512u);
    EXPECT_EQ(few->in_columns, 0u);
    plans_tried += few->plans;
    fitting += few->fitting;
    too_large += few->too_large;
    for (const auto& [rule, count] : few->illegal) illegal[rule] += count;
    all.insert(all.end(), few->best.begin(), few->best.end());
  }
  std::sort(all.begin(), all.end(),
            [](const PlanAnswer& a, const PlanAnswer& b) { return a.step() < b.step(); });
  EXPECT_EQ(many->plans, plans_tried);
  EXPECT_EQ(many->fitting, fitting);
  EXPECT_EQ(many->too_large, too_large);
  EXPECT_EQ(many->illegal, illegal);
  for (std::size_t i = 0; i < many->best.size(); ++i)
    EXPECT_EQ(many->best[i].step(), all[i].step()) << plan_label(many->best[i].spec);
}

TEST(PlanSearch, MistakesAreNamed) {
  for (const auto& [change, where] :
       {std::pair<void (*)(PlanQuestion&), const char*>{
            [](PlanQuestion& asked) { asked.job.tp = "8,x"; }, "--tp"},
        {[](PlanQuestion& asked) { asked.job.dp = "8"; }, "--dp"},
        {[](PlanQuestion& asked) { asked.job.sharding = "zero9"; }, "--sharding"},
        {[](PlanQuestion& asked) { asked.job.schedule = "zb"; }, "--schedule"},
        {[](PlanQuestion& asked) { asked.job.tp = "3"; }, "h100-sxm:16"},
        {[](PlanQuestion& asked) { asked.cluster = "no-such"; }, "no-such"},
        {[](PlanQuestion& asked) { asked.job.model = "no-such"; }, "model"}}) {
    PlanQuestion asked = question();
    change(asked);
    const auto found = search_plans(asked);
    ASSERT_FALSE(found) << where;
    EXPECT_NE(to_string(found.error()).find(where), std::string::npos) << to_string(found.error());
  }
}

}  // namespace
}  // namespace orrery::explore

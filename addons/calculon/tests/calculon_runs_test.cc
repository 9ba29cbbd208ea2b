// SPDX-License-Identifier: Apache-2.0
//
// Calculon's rules against Calculon: every figure of every run that it made, and every refusal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "addons/calculon/calculon_search.h"
#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"

namespace orrery::estimate::calculon {
namespace {

using config::Json;

const Json& data() {
  static const Json json = [] {
    std::ifstream file(std::string(core_testing::kBuildFolder) +
                       "/addons/calculon/tests/runs.json");
    return Json::parse(file);
  }();
  return json;
}

Model model_of(const Json& run) {
  return parse_model(data()["models"][run["model"]]["facts"].dump(), "model").value();
}
Machine machine_of(const std::string& name) {
  return parse_machine(data()["systems"][name]["facts"].dump(), "system").value();
}

/// The largest difference of any figure, as a share.
double compare(const Model& model, const Machine& machine, const Json& execution,
               const Json& figures, const std::string& where) {
  const auto plan = parse_plan(execution.dump(), "execution");
  EXPECT_TRUE(plan) << where;
  if (!plan) return 1;
  const auto step = step_of(model, machine, *plan);
  EXPECT_TRUE(step) << where << ": " << (step ? "" : to_string(step.error()));
  if (!step) return 1;
  double worst = 0;
  const auto ours = statistics(model, machine, *plan, *step);
  EXPECT_EQ(ours.size(), figures.size()) << where;
  for (const auto& [name, value] : ours) {
    const Json& theirs = figures.at(std::string(name));
    EXPECT_EQ(value.has_value(), !theirs.is_null()) << where << " " << name;
    if (!value || theirs.is_null()) continue;
    const double expected = theirs.get<double>(), difference = std::abs(*value - expected);
    if (difference == 0) continue;
    // What is nothing there, but for rounding, has no share.
    const double off = difference / std::max(std::abs(expected), 1e-12);
    EXPECT_LE(off, 1e-9) << where << " " << name << ": " << *value << ", not " << expected;
    worst = std::max(worst, off);
  }
  return worst;
}

TEST(CalculonRuns, EveryFigureIsTheSame) {
  std::map<std::string, Machine> machines;
  for (const auto& [name, system] : data()["systems"].items()) machines[name] = machine_of(name);
  int compared = 0;
  double worst = 0;
  for (const Json& run : data()["runs"]) {
    if (!run.contains("out")) continue;
    ++compared;
    worst = std::max(worst, compare(model_of(run), machines.at(run["system"]), run["exe"],
                                    run["out"], run["id"].get<std::string>()));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(compared, 604);
  RecordProperty("worst_share", std::to_string(worst));
}

TEST(CalculonRuns, TheBestThatWasFoundIsTheSame) {
  const Json& best = data()["best_found_gpt3_4096"];
  Json run;
  run["model"] = "gpt3-175B";
  compare(model_of(run), machine_of("a100_80g"), best["execution"], best["stats"], "best");
}

/// What Calculon says or asserts, and what it is here.
const std::vector<std::pair<std::string, Refusal>> kWords = {
    {"tensor * pipeline * data parallelism != num_procs", Refusal::processes},
    {"self.global_batch_size % self.data_par", Refusal::batch_over_copies},
    {"self._local_batch_size % self.microbatch_size", Refusal::batch_over_microbatch},
    {"We only perform recompute during training", Refusal::recompute_without_training},
    {"Bad pipeline interleaving", Refusal::interleaving_without_pipeline},
    {"We only redo AG comm", Refusal::redo_without_sequences},
    {"We assume no extra AG with full recompute", Refusal::redo_with_recompute},
    {"We only perform DP comm overlap during training", Refusal::copies_overlap_without_training},
    {"We only perform optimizer offloading during training", Refusal::offload_without_training},
    {"tensor_par_net < self.sys.num_networks", Refusal::no_such_network},
    {"isn't big enough", Refusal::network_too_small},
    {"isn't fully used", Refusal::network_not_filled},
    {"less than or equal to the number of blocks", Refusal::interleaving_beyond_blocks},
    {"a factor value of the number of blocks", Refusal::interleaving_uneven},
    {"at least 3 blocks", Refusal::offload_needs_blocks},
    {"We should split batch_seq", Refusal::sequence_uneven},
    {"We should split hidden", Refusal::hidden_uneven},
    {"attn_heads between", Refusal::heads_uneven},
    {"Mem tier1 needs", Refusal::near_memory},
    {"Mem tier2 needs", Refusal::far_memory}};

std::optional<Refusal> reason_of(const std::string& words) {
  for (const auto& [part, refusal] : kWords)
    if (words.find(part) != std::string::npos) return refusal;
  return std::nullopt;
}

TEST(CalculonRuns, WhatIsRefusedIsRefusedForTheSameReason) {
  int refusals = 0;
  for (const Json& run : data()["runs"]) {
    if (!run.contains("error")) continue;
    ++refusals;
    const std::string id = run["id"], message = run["error"]["message"];
    const std::string words = message.empty() ? run["error"]["check"].get<std::string>() : message;
    const auto plan = parse_plan(run["exe"].dump(), "execution");
    if (words.find("tensor_par_comm_type in") != std::string::npos) {
      EXPECT_FALSE(plan) << id;  // a word that is none
      continue;
    }
    ASSERT_TRUE(plan) << id << to_string(plan.error());
    const Model model = model_of(run);
    const Machine machine = machine_of(run["system"]);
    const auto expected = reason_of(words);
    ASSERT_TRUE(expected) << id << ": " << words;
    auto why = refused(model, machine, *plan);
    if (!why) {
      const Layers layers = layers_of(model, *plan);
      Block block = block_of(model, machine, *plan, layers);
      add_optimizer(block, machine, *plan, layers);
      const Space space = space_of(model, *plan, block);
      why = refused(machine, space);
      const Json& memory = run["error"]["mem"];
      EXPECT_NEAR(space.tier1 / memory["tier1_total"].get<double>(), 1, 1e-9) << id;
      if (const double far = memory["tier2_total"]; far > 0) {
        EXPECT_NEAR(space.tier2 / far, 1, 1e-9) << id;
      }
    }
    ASSERT_TRUE(why) << id << ": " << words;
    EXPECT_EQ(about(*why), about(*expected)) << id << ": " << words;
    const auto step = step_of(model, machine, *plan);
    ASSERT_FALSE(step);
    EXPECT_NE(to_string(step.error()).find(about(*why)), std::string::npos);
  }
  EXPECT_EQ(refusals, 96);
}

// As large as files may say: products of these sizes are beyond 64 bits.
TEST(CalculonRuns, HugeSizesAreNoTrouble) {
  Model model;
  for (auto size : {&Model::hidden, &Model::feedforward, &Model::seq_size, &Model::attn_heads,
                    &Model::attn_size, &Model::num_blocks})
    model.*size = static_cast<std::int64_t>(Model::kMax);
  const Machine machine = machine_of("a100_80g");
  Plan plan;
  plan.num_procs = plan.tensor_par = plan.pipeline_par = plan.data_par = 1'000'000'000;
  EXPECT_EQ(refused(model, machine, plan), Refusal::processes);
  plan.num_procs = 1;
  plan.tensor_par = plan.pipeline_par = plan.data_par = std::int64_t{1} << 29;
  EXPECT_EQ(refused(model, machine, plan), Refusal::processes);
  plan = {};
  plan.num_procs = plan.pipeline_par = 2;
  plan.batch_size = plan.microbatch_size = 1'000'000'000;
  plan.tensor_par_comm_type = PartJoining::p2p_rs_ag;
  const Block block = block_of(model, machine, plan, layers_of(model, plan));
  EXPECT_DOUBLE_EQ(block.pipeline_message, 2e23);
  EXPECT_GT(block.storage, 1e23);
  const auto step = step_of(model, machine, plan);
  ASSERT_FALSE(step);
  EXPECT_NE(to_string(step.error()).find(about(Refusal::near_memory)), std::string::npos);
}

// Korthikanti et al., arXiv 2205.05198, table 5: the eight runs that Calculon validates itself
// with, as it prints them.
TEST(CalculonRuns, KorthikantisStepsAreAsPrinted) {
  int found = 0;
  for (const Json& run : data()["runs"]) {
    if (!run.contains("shipped") || !run.contains("out")) continue;
    const std::string file = run["shipped"], model = run["model"];
    for (const auto& [kind, steps] : data()["korthikanti"].items()) {
      const std::string mark = kind == "full_recompute" ? "_full.json" : "_seqsel.json";
      if (!steps.is_object() || !steps.contains(model) || file.find("tab5") == std::string::npos ||
          file.find(mark) == std::string::npos)
        continue;
      ++found;
      const auto plan = parse_plan(run["exe"].dump(), file);
      const auto step = step_of(model_of(run), machine_of(run["system"]), *plan);
      ASSERT_TRUE(step) << file;
      EXPECT_NEAR(step->times.total(), steps[model]["calc"].get<double>(), 0.005) << file;
      EXPECT_NEAR(step->space.tier1 / (1 << 30), steps[model]["mem_GiB"].get<double>(), 0.005)
          << file;
    }
  }
  EXPECT_EQ(found, 8);
}

// 7,126,368 candidates (papers: counted by Calculon's own search), none of them left out.
TEST(CalculonSearch, LooksAtEveryCandidateOfGpt3On4096) {
  Json run;
  run["model"] = "gpt3-175B";
  const Model model = model_of(run);
  const Machine machine = machine_of("a100_80g");
  SearchRequest asked{.devices = 4096, .most_batch = 4096, .best = 10, .threads = 2};
  const auto found = search(model, machine, asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidates, 7'126'368u);
  std::uint64_t refused = 0;
  for (const std::uint64_t count : found->refused) refused += count;
  EXPECT_EQ(found->feasible + refused, found->candidates);
  ASSERT_EQ(found->best.size(), 10u);
  EXPECT_GE(found->best[0].samples_per_second, 445.464);
  for (const RankedPlan& one : found->best) {  // what the search says is what a step says
    const auto step = step_of(model, machine, one.plan);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->times.total(), one.seconds);
    EXPECT_EQ(step->space.tier1, one.space.tier1);
  }
  asked.threads = 1;
  const auto again = search(model, machine, asked);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(again->best[i].plan, found->best[i].plan);
}

}  // namespace
}  // namespace orrery::estimate::calculon

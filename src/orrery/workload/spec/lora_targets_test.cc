// SPDX-License-Identifier: Apache-2.0
//
// Adapters counted from shapes, held against published numbers and against what layers hold.
#include "orrery/workload/spec/lora_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/step_count.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Spec with_lora(std::string_view model, std::int64_t rank, Words targets = {}) {
  Spec spec;
  const ModelEntry* const entry = find_model(model);
  if (entry == nullptr) {
    ADD_FAILURE() << model << " is not in the catalog";
    return spec;
  }
  spec.model = entry->model;
  if (entry->seq > 0) spec.batch.seq = entry->seq;
  spec.lora = Lora{rank, std::move(targets)};
  return spec;
}

// Llama 2 7B, 32 layers of 4096 and 11008. Hu et al., section 4.2, adapt queries and values; on all
// linear layers PEFT's print_trainable_parameters says 39,976,960 for rank 16 (Dettmers et al.,
// NeurIPS 2023, adapt these).
TEST(Lora, CountsWhatIsPublished) {
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 16)), 39'976'960);
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 16)),
            32 * 16 * (4 * (4096 + 4096) + 3 * (4096 + 11008)));
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 8, {"q", "v"})), 4'194'304);
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 8, {"q", "v"})), 32 * 2 * 8 * (4096 + 4096));
  // GPT-3 175B, queries and values, rank 1: 4.7 M (Hu et al., table 6).
  EXPECT_EQ(count_adapters(with_lora("gpt3-175b", 1, {"q", "v"})), 96 * 2 * (12288 + 12288));
  // Llama 3.1 8B: keys and values are 1024 wide.
  EXPECT_EQ(count_adapters(with_lora("llama-3.1-8b", 16)), 41'943'040);
}

// One adapter of three fused matrices has one A.
TEST(Lora, FusedMatricesHaveOneA) {
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 8, {"qkv"})), 32 * 8 * (4096 + 3 * 4096));
  EXPECT_EQ(count_adapters(with_lora("llama-2-7b", 8, {"mlp_up"})), 32 * 8 * (4096 + 2 * 11008));
}

/// Of all parts on one rank.
Weights sum_of(const Spec& spec, bool trained) {
  Weights sum;
  const Result<LoweredModel> model = lower(spec, Mesh(spec), Position{});
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return sum;
  }
  for (const PartRun& run : model->order) {
    const Part& part = model->parts[run.part].part;
    const Weights weights = trained ? part.trained() : part.weights;
    sum.dense += run.count * weights.dense;
    sum.replicated += run.count * weights.replicated;
    sum.expert += run.count * weights.expert;
    sum.matrices += run.count * weights.matrices;
  }
  return sum;
}

TEST(Lora, LayersHoldWhatTheShapeSays) {
  for (const ModelEntry& entry : models()) {
    Spec spec = with_lora(entry.name, 4);
    if (adaptable_matrices(spec.model).empty()) continue;
    const std::int64_t own = count_parameters(spec.model).total;
    for (const std::string_view word : adaptable_matrices(spec.model)) {
      spec.lora->targets = {std::string(word)};
      EXPECT_GT(count_adapters(spec), 0) << entry.name << ' ' << word;
      EXPECT_EQ(sum_of(spec, true).total(), count_adapters(spec)) << entry.name << ' ' << word;
    }
    spec.lora->targets.clear();
    EXPECT_EQ(sum_of(spec, true).total(), count_adapters(spec)) << entry.name;
    EXPECT_EQ(sum_of(spec, true).matrices, count_adapters(spec)) << entry.name;
    EXPECT_EQ(sum_of(spec, false).total(), own + count_adapters(spec)) << entry.name;
  }
}

StepCount counted_lora(const Spec& spec) {
  Findings findings;
  const Result<Program> program = assemble(spec, findings);
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  const Result<StepCount> count = workload::count(*program);
  return count ? *count : StepCount{};
}

// Forward 2 FLOPs per token and weight of model and adapters; backward the same again for the
// gradients of activations, and 2 per weight of adapters for theirs: 4·N + 6·A, not 6·(N + A).
TEST(Lora, FlopsAreFourPerFrozenWeightAndSixPerAdapted) {
  for (const char* const name : {"llama-2-7b", "llama-3.1-8b", "gpt2", "mixtral-8x7b"}) {
    const Spec spec = with_lora(name, 16);
    Spec whole = spec;
    whole.lora.reset();
    const StepCount with = counted_lora(spec), without = counted_lora(whole);
    const auto tokens = static_cast<Total>(with.tokens);
    const Total own = 2 * tokens * static_cast<Total>(with.parameters.matmul);
    const Total adapters = 2 * tokens * static_cast<Total>(with.adapters);
    EXPECT_EQ(to_string(with.flops.forward), to_string(without.flops.forward + adapters)) << name;
    EXPECT_EQ(to_string(with.flops.backward),
              to_string(without.flops.backward - own + 2 * adapters))
        << name;
  }
}

// Of frozen weights nothing is kept but themselves; the optimizer updates adapters.
TEST(Lora, OptimizerAndReductionsSeeAdaptersOnly) {
  Spec spec = with_lora("llama-2-7b", 16);
  spec.parallel.dp = 4;
  const StepCount all = counted_lora(spec);
  EXPECT_EQ(all.roles[0].trained.total(), 39'976'960);
  EXPECT_EQ(to_string(all.flops.optimizer), to_string(Total{4} * 13 * 39'976'960));
  Total reduced = 0;
  for (const TrafficCount& each : all.traffic)
    if (each.axis == Axis::dp) reduced += each.payload;
  EXPECT_EQ(to_string(reduced), to_string(Total{4} * 4 * 39'976'960));
}

// Sharded layers are gathered whole, frozen or not; only adapters' gradients are scattered.
TEST(Lora, ShardedFrozenWeightsAreGathered) {
  Spec spec = with_lora("llama-2-7b", 16);
  spec.parallel.dp = 4;
  spec.parallel.sharding = Sharding::zero3;
  const StepCount all = counted_lora(spec);
  const std::int64_t weights = all.roles[0].weights.total();
  for (const TrafficCount& each : all.traffic) {
    if (each.type == "all_gather") {  // forward and backward, whole on all four
      EXPECT_EQ(to_string(each.payload), to_string(Total{4} * 2 * 2 * static_cast<Total>(weights)));
    }
    if (each.type == "reduce_scatter") {
      EXPECT_EQ(to_string(each.payload), to_string(Total{4} * 4 * 39'976'960));
    }
  }
}

// 6,738,415,616 weights in bf16 that have nothing else, and 18 bytes for each of an adapter.
TEST(Lora, FrozenWeightsTakeTwoBytes) {
  const std::int64_t own = 6'738'415'616, adapters = 39'976'960;
  Findings findings;
  const Result<Program> program = assemble(with_lora("llama-2-7b", 16), findings);
  ASSERT_TRUE(program);
  const Result<MemoryReport> report = account_memory(*program);
  ASSERT_TRUE(report);
  const RoleMemory& rank = report->roles.front();
  EXPECT_EQ(rank.weights, 2 * (own + adapters));
  EXPECT_EQ(rank.gradients, 4 * adapters);
  EXPECT_EQ(rank.optimizer, 12 * adapters);
}

std::string refusal(const Spec& spec) {
  const Result<void> fine = check_spec(spec);
  return fine ? "legal" : to_string(fine.error()) + " / " + fine.error().hint;
}

TEST(Lora, RulesAreNamed) {
  EXPECT_EQ(refusal(with_lora("llama-2-7b", 16)), "legal");
  EXPECT_EQ(refusal(with_lora("deepseek-v3", 16)), "legal");
  EXPECT_EQ(refusal(with_lora("t5-small", 16)), "legal");
  EXPECT_EQ(refusal(with_lora("bert-base", 16)), "legal");
  EXPECT_EQ(refusal(with_lora("vit-b-16", 16)), "legal");
  for (const char* const name : {"resnet-50", "dlrm-kaggle", "dit-xl-2"})
    EXPECT_THAT(refusal(with_lora(name, 16)), HasSubstr("rule lora-families:")) << name;
  EXPECT_THAT(refusal(with_lora("llama-2-7b", 16, {"head"})), HasSubstr("rule lora-targets:"));
  EXPECT_THAT(refusal(with_lora("gpt2", 16, {"gate"})), HasSubstr("rule lora-targets:"));
  EXPECT_THAT(refusal(with_lora("mixtral-8x7b", 16, {"mlp_up"})), HasSubstr("rule lora-targets:"));
  EXPECT_THAT(refusal(with_lora("deepseek-v3", 16, {"k"})), HasSubstr("rule lora-targets:"));
  EXPECT_THAT(refusal(with_lora("llama-2-7b", 16, {"q", "q"})), HasSubstr("rule lora-once:"));
  EXPECT_THAT(refusal(with_lora("llama-2-7b", 16, {"qkv", "v"})), HasSubstr("rule lora-once:"));
  EXPECT_THAT(refusal(with_lora("llama-2-7b", 16, {"gate", "mlp_up"})),
              HasSubstr("rule lora-once:"));
  Spec stage = with_lora("llama-2-7b", 16);
  stage.compat = Compat::stage;
  EXPECT_THAT(refusal(stage), HasSubstr("rule lora-compat:"));
  EXPECT_THAT(refusal(with_lora("llama-2-7b", 0)), HasSubstr("rule ranges:"));
}

TEST(Lora, ComesFromTextAndFlagsAndGoesBack) {
  Result<Spec> spec = parse_spec("model: llama-2-7b\nlora: {rank: 8, targets: [q, v]}", "s");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_EQ(count_adapters(*spec), 4'194'304);
  EXPECT_EQ(count_adapters(*parse_spec(to_yaml(*spec), "again")), 4'194'304);
  spec->lora.reset();
  EXPECT_THAT(to_yaml(*spec), testing::Not(HasSubstr("lora")));
  ASSERT_TRUE(set(*spec, "lora.rank", "16"));
  EXPECT_EQ(count_adapters(*spec), 39'976'960);
  EXPECT_EQ(count_adapters(*parse_spec(to_json(*spec), "again")), 39'976'960);
  ASSERT_TRUE(set(*spec, "lora.targets", "q,v"));
  EXPECT_EQ(count_adapters(*spec), 2 * 4'194'304);
  ASSERT_TRUE(set(*spec, "lora", "null"));
  EXPECT_FALSE(spec->lora.has_value());
}

}  // namespace
}  // namespace orrery::workload

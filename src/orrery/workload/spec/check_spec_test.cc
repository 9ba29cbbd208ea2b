// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "orrery/workload/spec/model_catalog.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {
namespace {

constexpr const char* kDense = R"(
model: {layers: 8, hidden: 512, ffn: 1536, heads: 16, kv_heads: 8, vocab: 32000, positions: rope}
parallel: {tp: 2, dp: 4, pp: 2}
batch: {global: 32, micro: 1, seq: 1024}
)";
constexpr const char* kExperts = R"(
model: {layers: 8, hidden: 512, heads: 16, vocab: 32000, positions: rope,
        moe: {experts: 16, top_k: 2, ffn: 256, shared_experts: 1}}
parallel: {tp: 2, sp: true, dp: 4, ep: 4}
)";
constexpr const char* kDlrm = R"(
model: {kind: dlrm, dlrm: {tables: [{rows: 100, count: 4}], dim: 16, bottom_mlp: [32, 16],
                           top_mlp: [8, 1]}}
parallel: {dp: 4}
)";
constexpr const char* kResnet = "model: {kind: resnet, vision: {blocks: [2, 2]}}";
constexpr const char* kVit =
    "model: {kind: vit, layers: 4, hidden: 64, heads: 4, vision: {image: 32, patch: 8}}";
constexpr const char* kT5 =
    "model: {kind: encoder_decoder, layers: 2, encoder_layers: 2, hidden: 64, heads: 4, "
    "positions: relative}";

/// A legal job, and changes that break this one rule.
struct Case {
  const char* rule;
  const char* base;
  std::vector<std::pair<const char*, std::string>> changes;
};

std::vector<Case> shape_cases() {
  return {
      {"vision-families", kVit, {{"model.kind", "decoder"}}},
      {"vision-families", kDense, {{"model.kind", "dit"}}},
      {"dlrm-family", kDense, {{"model.kind", "dlrm"}}},
      {"dlrm-family", kDlrm, {{"model.kind", "encoder"}}},
      {"moe-family", kExperts, {{"model.kind", "encoder"}}},
      {"attention-format", kDense, {{"precision.attention", "fp16"}}},
      {"attention-format",
       kDense,
       {{"precision.attention", "fp8"}, {"kernels.flash_attention", "false"}}},
      {"mla-family", kT5, {{"model.mla.kv_rank", "8"}}},
      {"encoder-layers", kT5, {{"model.encoder_layers", "0"}}},
      {"encoder-layers", kDense, {{"model.encoder_layers", "4"}}},
      {"pooler-family", kDense, {{"model.pooler", "true"}}},
      {"lora-families", kResnet, {{"lora.rank", "4"}}},
      {"lora-targets", kDense, {{"lora.targets", "[head]"}}},
      {"lora-once", kDense, {{"lora.targets", "[qkv, v]"}}},
      {"lora-compat", kDense, {{"lora.rank", "4"}, {"compat", "stage"}}},
      {"heads-by-hidden", kDense, {{"model.hidden", "520"}}},
      {"heads-by-hidden", kDense, {{"model.heads", "1"}, {"model.hidden", "1048576"}}},
      {"kv-heads", kDense, {{"model.kv_heads", "6"}}},
      {"parallel-block", kDense, {{"model.parallel_block", "true"}, {"model.post_norms", "true"}}},
      {"parallel-block", kVit, {{"model.parallel_block", "true"}}},
      {"full-every", kDense, {{"model.full_every", "2"}}},
      {"positions", kDense, {{"model.positions", "learned"}, {"model.max_positions", "1023"}}},
      {"patches", kVit, {{"model.vision.patch", "9"}}},
      {"resnet-blocks", kResnet, {{"model.vision.blocks", "[]"}}},
      {"resnet-blocks", kResnet, {{"model.vision.blocks", "2,0"}}},
      {"mlp-sizes", kDlrm, {{"model.dlrm.bottom_mlp", "-1,16"}}},
      {"mlp-sizes", kDlrm, {{"model.dlrm.top_mlp", "1048577,1"}}},
      {"mlp-ends", kDlrm, {{"model.dlrm.dim", "32"}}},
      {"mlp-ends", kDlrm, {{"model.dlrm.top_mlp", "8,2"}}},
      {"table-count",
       kDlrm,
       {{"model.dlrm.tables", "[" +
                                  [] {
                                    std::string list;
                                    for (int i = 0; i < 17; ++i) list += "{rows: 1, count: 65536},";
                                    return list;
                                  }() +
                                  "]"}}},
      {"weights", kDlrm, {{"model.dlrm.tables", "[{rows: 1e12, count: 65536}]"}}},
      {"op-size",
       kDense,
       {{"batch.micro", "16777216"},
        {"batch.global", "67108864"},
        {"batch.seq", "67108864"},
        {"parallel.pp", "1"}}},
      {"op-size", kResnet, {{"batch.micro", "16777216"}, {"model.vision.image", "65536"}}},
      {"op-size",
       kDlrm,
       {{"batch.micro", "16777216"}, {"model.dlrm.top_mlp", "1048576,1048576,1"}}},
  };
}

std::vector<Case> layer_cases() {
  return {
      {"layer-pattern", kDense, {{"model.pattern", "****----G"}}},
      {"layer-pattern", kDense, {{"model.pattern", "*-"}}},
      {"layer-pattern", kDense, {{"model.pattern", "*-*-*-*-"}, {"model.parallel_block", "true"}}},
      {"layer-pattern", kDense, {{"model.pattern", "*-*-*-*-"}, {"model.post_norms", "true"}}},
      {"mamba-layers", kDense, {{"model.pattern", "M-M-M-M-"}}},
      {"mamba-layers", kDense, {{"model.mamba.groups", "2"}}},
      {"mamba-layers",
       kDense,
       {{"model.pattern", "M-M-M-M-"}, {"model.mamba.heads", "8"}, {"model.mamba.groups", "3"}}},
      {"pattern-experts", kDense, {{"model.pattern", "*E*E*E*E"}}},
      {"pattern-experts",
       kExperts,
       {{"model.pattern", "*E*E*E*E"}, {"model.moe.first_dense", "1"}}},
      {"prediction-modules", kDense, {{"model.mtp_layers", "1"}, {"model.pattern", "*-*-*-*-"}}},
      {"prediction-modules", kT5, {{"model.mtp_layers", "1"}}},
      {"lora-pattern", kDense, {{"lora.rank", "4"}, {"model.pattern", "*-*-*-*-"}}},
  };
}

std::vector<Case> parallel_cases() {
  return {
      {"world", kDense, {{"parallel.dp", "16777216"}, {"batch.global", "0"}}},
      {"order", kDense, {{"parallel.order", "tp-cp-dp-pp"}}},
      {"order", kDense, {{"parallel.order", "tp-tp-ep-dp-pp"}}},
      {"order", kDense, {{"parallel.order", "tp-cp-ep-dp-pp-"}}},
      {"data-parallel-families", kDlrm, {{"parallel.tp", "2"}}},
      {"data-parallel-families", kResnet, {{"parallel.pp", "2"}}},
      {"heads-by-tp", kDense, {{"parallel.tp", "3"}}},
      {"mamba-by-tp",
       kDense,
       {{"model.pattern", "M-M-M-M-"}, {"model.mamba.groups", "1"}, {"model.mamba.heads", "8"}}},
      {"mamba-cp",
       kDense,
       {{"model.pattern", "M-M-M-M-"}, {"model.mamba.groups", "2"}, {"parallel.cp", "2"}}},
      {"kv-heads-by-tp", kDense, {{"parallel.tp", "16"}}},
      {"ffn-by-tp", kDense, {{"model.ffn", "1537"}}},
      {"vocab-by-tp", kDense, {{"model.vocab", "50257"}, {"compat", "stage"}}},
      {"seq-by-cp", kDense, {{"parallel.cp", "3"}}},
      {"seq-by-cp", kT5, {{"parallel.cp", "2"}, {"batch.source_seq", "511"}}},
      {"cp-needs-text", kVit, {{"parallel.cp", "2"}}},
      {"seq-by-ring", kDense, {{"parallel.cp", "2"}, {"batch.seq", "1022"}}},
      {"heads-by-ulysses", kDense, {{"parallel.cp", "16"}, {"parallel.cp_method", "ulysses"}}},
      {"heads-by-ulysses", kDense, {{"parallel.cp", "8"}, {"parallel.cp_method", "ulysses"}}},
      {"sp-needs-tp", kDense, {{"parallel.tp", "1"}, {"parallel.sp", "true"}}},
      {"seq-by-sp", kDense, {{"parallel.sp", "true"}, {"batch.seq", "1023"}}},
      {"shard-needs-sharding", kDense, {{"parallel.shard_size", "2"}}},
      {"shard-size", kDense, {{"parallel.sharding", "zero3"}, {"parallel.shard_size", "3"}}},
      {"offload-weights", kDense, {{"offload.weights", "true"}}},
      {"offload-in-switch", kDense, {{"offload.in_switch", "true"}}},
      {"ep-needs-moe", kDense, {{"parallel.ep", "2"}}},
      {"ep-needs-moe", kDense, {{"parallel.ep_own_axis", "true"}}},
      {"top-k", kExperts, {{"model.moe.top_k", "17"}}},
      {"moe-layers", kExperts, {{"model.moe.first_dense", "8"}}},
      {"moe-layers", kExperts, {{"model.moe.every", "9"}}},
      {"moe-pattern", kExperts, {{"model.moe.pattern", "[0, 1, 2]"}}},
      {"moe-pattern", kExperts, {{"model.moe.pattern", "[0, 1]"}, {"model.moe.every", "2"}}},
      {"shared-experts",
       kExperts,
       {{"model.moe.shared_experts", "0"}, {"model.moe.shared_gate", "true"}}},
      {"shared-size", kExperts, {{"model.moe.ffn", "4194304"}, {"model.moe.shared_experts", "2"}}},
      {"capacity", kExperts, {{"model.moe.pad_to_capacity", "true"}}},
      {"dispatcher", kExperts, {{"parallel.dispatcher", "deepep"}, {"model.hidden", "65536"}}},
      {"overlapped-experts",
       kExperts,
       {{"parallel.overlap_experts", "true"}, {"parallel.ep", "1"}}},
      {"release", kExperts, {{"kernels.release", "26.4"}}},
      {"imbalance", kExperts, {{"model.moe.imbalance", "4.5"}}},
      {"experts-by-ep", kExperts, {{"model.moe.experts", "18"}}},
      {"etp", kExperts, {{"parallel.tp", "4"}, {"parallel.etp", "2"}}},
      {"etp-by-sp", kExperts, {{"parallel.etp", "1"}, {"parallel.sp", "false"}}},
      {"ep-by-ranks", kExperts, {{"parallel.ep", "8"}}},
      {"ep-by-ranks", kExperts, {{"parallel.ep", "16"}, {"parallel.etp", "1"}}},
      {"expert-ffn-by-etp", kExperts, {{"model.moe.ffn", "255"}}},
      {"shared-ffn-by-tp", kExperts, {{"model.moe.shared_ffn", "255"}}},
  };
}

std::vector<Case> schedule_cases() {
  return {
      {"global-batch", kDense, {{"batch.global", "31"}}},
      {"global-batch",
       kDense,
       {{"batch.global", "0"},
        {"batch.micro", "16777216"},
        {"parallel.dp", "4096"},
        {"batch.seq", "16"}}},
      {"recompute-every", kDense, {{"recompute.every", "2"}}},
      {"recompute-every", kVit, {{"recompute.every", "2"}, {"recompute.kind", "full"}}},
      {"one-chunk", kDense, {{"schedule.chunks", "2"}}},
      {"two-chunks", kDense, {{"schedule.kind", "zb_v"}}},
      {"two-chunks", kDense, {{"schedule.kind", "dual_pipe"}, {"schedule.chunks", "4"}}},
      {"interleaved-chunks", kDense, {{"schedule.kind", "interleaved"}}},
      {"interleaved-microbatches",
       kDense,
       {{"schedule.kind", "interleaved"}, {"schedule.chunks", "2"}, {"batch.global", "36"}}},
      {"dual-pipe-stages",
       kDense,
       {{"schedule.kind", "dual_pipe"}, {"schedule.chunks", "2"}, {"parallel.pp", "3"}}},
      {"dual-pipe-microbatches",
       kDense,
       {{"schedule.kind", "dual_pipe"}, {"schedule.chunks", "2"}, {"batch.global", "36"}}},
      {"dual-pipe-microbatches",
       kDense,
       {{"schedule.kind", "dual_pipe"}, {"schedule.chunks", "2"}, {"batch.global", "8"}}},
      {"passes", kDense, {{"batch.global", "33554432"}}},
      {"layers-by-stages", kDense, {{"parallel.pp", "11"}}},
      {"layers-by-stages",
       kDense,
       {{"schedule.kind", "zb_v"}, {"schedule.chunks", "2"}, {"parallel.pp", "6"}}},
      {"stage-layers-count", kDense, {{"schedule.stage_layers", "4,2,2"}}},
      {"stage-layers-sum", kDense, {{"schedule.stage_layers", "4,3"}}},
      {"stage-layers-sum", kDense, {{"schedule.stage_layers", "9,-1"}}},
      {"schedule-file", kDense, {{"schedule.kind", "file"}}},
      {"schedule-file", kDense, {{"schedule.file", "order.yaml"}}},
      {"launch-or-graphs", kDense, {{"kernels.graphs", "true"}, {"kernels.launch", "5 us"}}},
      {"recompute-words", kDense, {{"recompute.kind", "ops"}, {"recompute.ops", "norm,attenton"}}},
      {"recompute-ops", kDense, {{"recompute.kind", "ops"}}},
      {"recompute-ops", kDense, {{"recompute.ops", "norm"}}},
      {"fp4-sums", kDense, {{"precision.reduce", "fp4"}}},
  };
}

std::vector<Case> all_cases() {
  std::vector<Case> all = shape_cases();
  for (const std::vector<Case>& more : {layer_cases(), parallel_cases(), schedule_cases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Legal, TakesTheJobsThatCasesStartFrom) {
  for (const char* text : {kDense, kExperts, kDlrm, kResnet, kVit, kT5}) {
    const Result<Spec> spec = parse_spec(text, "base");
    ASSERT_TRUE(spec) << to_string(spec.error());
    const Result<void> fine = check_spec(*spec);
    EXPECT_TRUE(fine) << text << to_string(fine.error());
  }
}

TEST(Legal, NamesTheRuleThatIsBroken) {
  for (const Case& each : all_cases()) {
    Result<Spec> spec = parse_spec(each.base, "base");
    ASSERT_TRUE(spec);
    std::string text = each.rule;
    for (const auto& change : each.changes) {
      const Result<void> done = set(*spec, change.first, change.second);
      ASSERT_TRUE(done) << to_string(done.error());
      text += std::string(", ") + change.first + " = " + change.second.substr(0, 40);
    }
    const Result<void> fine = check_spec(*spec);
    ASSERT_FALSE(fine) << text;
    EXPECT_THAT(fine.error().hint, testing::StartsWith("rule " + std::string(each.rule) + ": "))
        << text << "\n"
        << to_string(fine.error());
    EXPECT_FALSE(fine.error().where.empty());
    EXPECT_FALSE(fine.error().what.empty());
  }
}

TEST(Legal, EveryRuleHasACase) {
  std::set<std::string> seen = {"ranges"};
  for (const Case& each : all_cases()) seen.insert(each.rule);
  std::set<std::string> known;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(known.emplace(rule.name).second) << rule.name << " twice";
    EXPECT_TRUE(rule.sentence.ends_with(".")) << rule.name;
  }
  EXPECT_EQ(seen, known);
}

/// Importers and programs make specifications without the reader; a 0 must not be divided by.
TEST(Legal, LooksAtRangesFirst) {
  Spec spec;
  spec.model.positions = Positions::rope;
  ASSERT_TRUE(check_spec(spec));
  spec.parallel.tp = 0;
  const Result<void> fine = check_spec(spec);
  ASSERT_FALSE(fine);
  EXPECT_EQ(fine.error().code, Errc::config_range);
  EXPECT_EQ(fine.error().where, "/parallel/tp");
  EXPECT_THAT(fine.error().hint, testing::StartsWith("rule ranges: "));
  spec = Spec{};
  spec.model.heads = -3;
  EXPECT_FALSE(check_spec(spec));
  spec = Spec{};
  spec.model.kind = ModelKind::dlrm;
  spec.model.dlrm = Dlrm{};
  EXPECT_FALSE(check_spec(spec)) << "no tables";
}

TEST(Legal, EpMayBeAnAxisOfItsOwn) {
  Result<Spec> spec = parse_spec(kExperts, "base");
  ASSERT_TRUE(set(*spec, "parallel.ep", "16"));
  EXPECT_FALSE(check_spec(*spec));
  ASSERT_TRUE(set(*spec, "parallel.ep_own_axis", "true"));
  EXPECT_TRUE(check_spec(*spec));
  ASSERT_TRUE(set(*spec, "parallel.dp", "1048576"));
  EXPECT_THAT(check_spec(*spec).error().hint, testing::StartsWith("rule world"));
}

/// The catalog's models are legal on one rank at their own context.
TEST(Legal, TakesEveryModelOfTheCatalog) {
  for (const ModelEntry& entry : models()) {
    Spec spec;
    spec.model = entry.model;
    if (entry.seq > 0) spec.batch.seq = entry.seq;
    const Result<void> fine = check_spec(spec);
    EXPECT_TRUE(fine) << entry.name << " " << to_string(fine.error());
  }
}

}  // namespace
}  // namespace orrery::workload

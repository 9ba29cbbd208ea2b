// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/importers/import.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What flags leave: keys of an open specification.
Spec open_with(std::initializer_list<std::pair<const char*, const char*>> keys) {
  Spec spec = open_spec();
  for (const auto& [path, value] : keys) EXPECT_TRUE(set(spec, path, value)) << path;
  return spec;
}

std::vector<std::string> said(const Findings& findings) {
  for (const Finding& each : findings.list()) {
    if (each.code == FindingCode::chosen_by_default) return each.places;
  }
  return {};
}

TEST(Defaults, DpIsWhatTheClusterLeaves) {
  Spec spec = open_with({{"model", "llama-3.1-8b"}, {"parallel.tp", "4"}, {"parallel.pp", "2"}});
  EXPECT_EQ(spec.parallel.dp, 0) << "open until it is settled";
  Findings findings;
  ASSERT_TRUE(settle(spec, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 8);
  EXPECT_EQ(spec.batch.seq, 8192);
  EXPECT_EQ(spec.global_batch(), 128);
  EXPECT_THAT(said(findings),
              ElementsAre("dp 8: what the cluster leaves; batch 128: 8 microbatches for each of 2 "
                          "stages; 8,192 tokens each: what llama-3.1-8b was trained on"));
  EXPECT_TRUE(legal(spec));
}

TEST(Defaults, WithoutAClusterDpIsOne) {
  Spec spec = open_with({{"model", "gpt2"}, {"batch.global", "4"}, {"batch.seq", "512"}});
  Findings findings;
  ASSERT_TRUE(settle(spec, 0, "", findings));
  EXPECT_EQ(spec.parallel.dp, 1);
  EXPECT_EQ(spec.batch.seq, 512);
  EXPECT_TRUE(findings.empty()) << "nothing was left open";
}

TEST(Defaults, WhatIsGivenStays) {
  Spec spec = open_with({{"model", "gpt2"},
                         {"parallel.dp", "2"},
                         {"parallel.pp", "2"},
                         {"batch.global", "2"},
                         {"batch.seq", "512"}});
  Findings findings;
  ASSERT_TRUE(settle(spec, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 2);
  EXPECT_EQ(spec.microbatches(), 1);
  EXPECT_TRUE(findings.empty());
}

TEST(Defaults, FilesGiveAndLeaveOpenLikeFlags) {
  Findings findings;
  Spec spec = open_spec();
  ASSERT_TRUE(import_into(spec, "model: gpt2\nparallel: {tp: 2, dp: 1}\n", "a.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 1) << "given, though it is the value it would have anyway";
  EXPECT_EQ(spec.batch.seq, 0);
  spec = open_spec();
  ASSERT_TRUE(import_into(spec, "model: gpt2\nparallel: {tp: 2}\n", "b.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 0);
  ASSERT_TRUE(settle(spec, 6, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 3);
  EXPECT_EQ(spec.batch.seq, 1024);
  const auto whole = parse_spec("{model: gpt2}", "d.yaml");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->parallel.dp, 1) << "open only where it is asked for";
  EXPECT_FALSE(legal(open_spec()));
}

TEST(Defaults, OtherToolsFilesLeaveDpOpenToo) {
  Findings findings;
  Spec spec = open_spec();
  ASSERT_TRUE(import_into(spec,
                          "--num-layers 8 --hidden-size 512 --num-attention-heads 8 "
                          "--seq-length 1024 --tensor-model-parallel-size 2 --vocab-size 32000",
                          "m.sh", findings));
  EXPECT_EQ(spec.parallel.dp, 0);
  EXPECT_EQ(spec.batch.seq, 1024);
  ASSERT_TRUE(import_into(spec, R"({"train_micro_batch_size_per_gpu": 2,
      "gradient_accumulation_steps": 2, "train_batch_size": 16})",
                          "ds.json", findings));
  EXPECT_EQ(spec.parallel.dp, 4) << "16 / (2 x 2)";
}

TEST(Defaults, ExpertsOnAnAxisOfTheirOwnMultiplyTheRanks) {
  Spec spec = open_with({{"model", "mixtral-8x7b"},
                         {"parallel.ep", "8"},
                         {"parallel.tp", "2"},
                         {"batch.seq", "4096"}});
  Spec own = spec;
  own.parallel.ep_own_axis = true;
  Findings findings;
  ASSERT_TRUE(settle(spec, 64, "c.yaml", findings));
  ASSERT_TRUE(settle(own, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 32) << "folded: ep lies inside tp x cp x dp";
  EXPECT_EQ(own.parallel.dp, 4);
  EXPECT_EQ(spec.parallel.world(), 64);
  EXPECT_EQ(own.parallel.world(), 64);
}

TEST(Defaults, WhatDoesNotDivideTheClusterSaysWhatWould) {
  Spec spec = open_with({{"model", "gpt3-175b"}, {"parallel.tp", "8"}, {"parallel.pp", "3"}});
  Findings findings;
  const auto refused = settle(spec, 64, "h100-sxm:64", findings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
  EXPECT_EQ(refused.error().where, "h100-sxm:64");
  EXPECT_EQ(refused.error().what, "the cluster has 64 devices, which tp 8 x pp 3 does not divide");
  EXPECT_EQ(refused.error().hint, "what would: pp 2 or 4");

  spec = open_with({{"model", "gpt2"}, {"parallel.tp", "12"}});
  EXPECT_EQ(settle(spec, 8, "c", findings).error().hint, "what would: tp 8");
  spec = open_with({{"model", "gpt2"},
                    {"parallel.tp", "16777216"},
                    {"parallel.pp", "16777216"},
                    {"parallel.cp", "16777216"}});
  EXPECT_THAT(settle(spec, 8, "c", findings).error().what, HasSubstr("16,777,216 x pp"));
}

/// The batch of Llama 3's 405B as published (arXiv 2407.21783, table 4): 16 M tokens.
TEST(Defaults, ThatOfLlama405BOn16384DevicesIsAsPublished) {
  Spec spec = open_with({{"model", "llama-3.1-405b"},
                         {"parallel.tp", "8"},
                         {"parallel.pp", "16"},
                         {"schedule.kind", "interleaved"},
                         {"schedule.chunks", "8"}});
  Findings findings;
  ASSERT_TRUE(settle(spec, 16384, "h100-sxm:16384", findings));
  EXPECT_EQ(spec.global_batch(), 2048);
  EXPECT_EQ(spec.batch.seq, 8192);
  EXPECT_THAT(said(findings),
              ElementsAre("dp 128: what the cluster leaves; batch 2,048: 1 microbatch for each of "
                          "16 stages; 8,192 tokens each: what llama-3.1-405b was trained on"));
}

TEST(Defaults, StagesGetMicrobatchesEnough) {
  Spec spec;
  spec.parallel.dp = 4;
  EXPECT_EQ(spec.global_batch(), 4);
  spec.parallel.pp = 4;
  spec.batch.micro = 2;
  EXPECT_EQ(spec.microbatches(), 32);
  EXPECT_EQ(spec.global_batch(), 256);
  spec.schedule.chunks = 3;
  EXPECT_EQ(spec.microbatches(), 12) << "a multiple of the stages, 9 passes for each";
  spec.schedule.chunks = 16;
  EXPECT_EQ(spec.microbatches(), 4);
  spec.batch.global = 8;
  EXPECT_EQ(spec.microbatches(), 1);
  spec.batch.global = 0;
  spec.compat = Compat::stage;
  EXPECT_EQ(spec.microbatches(), 1) << "that generator's default";
  spec.compat = Compat::none;
  spec.schedule.kind = ScheduleKind::file;
  EXPECT_EQ(spec.microbatches(), 1) << "the file says how many";
}

TEST(Defaults, AModelNotOfTheCatalogueHas2048Tokens) {
  Findings findings;
  Spec spec = open_spec();
  ASSERT_TRUE(import_into(spec, "model: {layers: 2, hidden: 64, heads: 2, vocab: 100}\n", "a.yaml",
                          findings));
  ASSERT_TRUE(settle(spec, 0, "", findings));
  EXPECT_EQ(spec.batch.seq, 2048);
  EXPECT_THAT(said(findings), ElementsAre("batch 1: one microbatch per rank; 2,048 tokens each"));
  spec = open_with({{"model", "vit-h-14"}});
  Findings of_pictures;
  ASSERT_TRUE(settle(spec, 0, "", of_pictures));
  EXPECT_THAT(said(of_pictures), ElementsAre("batch 1: one microbatch per rank"));
}

}  // namespace
}  // namespace orrery::workload

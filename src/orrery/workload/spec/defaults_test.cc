// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What flags leave: keys of an open specification.
Spec open_with(std::initializer_list<std::pair<const char*, const char*>> keys) {
  Spec spec = unresolved_spec();
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
  ASSERT_TRUE(resolve_defaults(spec, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 8);
  EXPECT_EQ(spec.batch.seq, 8192);
  EXPECT_EQ(spec.global_batch(), 128);
  EXPECT_THAT(
      said(findings),
      ElementsAre("dp 8: the remaining devices of the cluster; batch 128: 8 microbatches for each "
                  "of 2 stages; 8,192 tokens each: the training length of llama-3.1-8b"));
  EXPECT_TRUE(check_spec(spec));
}

TEST(Defaults, WithoutAClusterDpIsOne) {
  Spec spec = open_with({{"model", "gpt2"}, {"batch.global", "4"}, {"batch.seq", "512"}});
  Findings findings;
  ASSERT_TRUE(resolve_defaults(spec, 0, "", findings));
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
  ASSERT_TRUE(resolve_defaults(spec, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 2);
  EXPECT_EQ(spec.microbatches(), 1);
  EXPECT_TRUE(findings.empty());
}

TEST(Defaults, ExpertsOnAnAxisOfTheirOwnMultiplyTheRanks) {
  Spec spec = open_with({{"model", "mixtral-8x7b"},
                         {"parallel.ep", "8"},
                         {"parallel.tp", "2"},
                         {"batch.seq", "4096"}});
  Spec own = spec;
  own.parallel.ep_own_axis = true;
  Findings findings;
  ASSERT_TRUE(resolve_defaults(spec, 64, "c.yaml", findings));
  ASSERT_TRUE(resolve_defaults(own, 64, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 32) << "folded: ep lies inside tp x cp x dp";
  EXPECT_EQ(own.parallel.dp, 4);
  EXPECT_EQ(spec.parallel.world(), 64);
  EXPECT_EQ(own.parallel.world(), 64);
}

TEST(Defaults, WhatDoesNotDivideTheClusterSaysWhatWould) {
  Spec spec = open_with({{"model", "gpt3-175b"}, {"parallel.tp", "8"}, {"parallel.pp", "3"}});
  Findings findings;
  const auto refused = resolve_defaults(spec, 64, "h100-sxm:64", findings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
  EXPECT_EQ(refused.error().where, "h100-sxm:64");
  EXPECT_EQ(refused.error().what,
            "the cluster has 64 devices, which is not a multiple of tp 8 x pp 3");
  EXPECT_EQ(refused.error().hint, "these divide it: pp 2 or 4");

  spec = open_with({{"model", "gpt2"}, {"parallel.tp", "12"}});
  EXPECT_EQ(resolve_defaults(spec, 8, "c", findings).error().hint, "these divide it: tp 8");
  spec = open_with({{"model", "gpt2"},
                    {"parallel.tp", "16777216"},
                    {"parallel.pp", "16777216"},
                    {"parallel.cp", "16777216"}});
  EXPECT_THAT(resolve_defaults(spec, 8, "c", findings).error().what, HasSubstr("16,777,216 x pp"));
}

/// The batch of Llama 3's 405B as published (arXiv 2407.21783, table 4): 16 M tokens.
TEST(Defaults, ThatOfLlama405BOn16384DevicesIsAsPublished) {
  Spec spec = open_with({{"model", "llama-3.1-405b"},
                         {"parallel.tp", "8"},
                         {"parallel.pp", "16"},
                         {"schedule.kind", "interleaved"},
                         {"schedule.chunks", "8"}});
  Findings findings;
  ASSERT_TRUE(resolve_defaults(spec, 16384, "h100-sxm:16384", findings));
  EXPECT_EQ(spec.global_batch(), 2048);
  EXPECT_EQ(spec.batch.seq, 8192);
  EXPECT_THAT(
      said(findings),
      ElementsAre("dp 128: the remaining devices of the cluster; batch 2,048: 1 microbatch for "
                  "each of 16 stages; 8,192 tokens each: the training length of llama-3.1-405b"));
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

TEST(Defaults, PicturesHaveNoTokens) {
  Spec spec = open_with({{"model", "vit-h-14"}});
  Findings findings;
  ASSERT_TRUE(resolve_defaults(spec, 0, "", findings));
  EXPECT_THAT(said(findings), ElementsAre("batch 1: one microbatch per rank"));
}

}  // namespace
}  // namespace orrery::workload

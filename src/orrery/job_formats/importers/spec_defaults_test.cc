// SPDX-License-Identifier: Apache-2.0
//
// What files leave open of a specification, as flags do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::workload {
namespace {

using testing::ElementsAre;

std::vector<std::string> said(const Findings& findings) {
  for (const Finding& each : findings.list()) {
    if (each.code == FindingCode::chosen_by_default) return each.places;
  }
  return {};
}

TEST(SpecDefaults, FilesGiveAndLeaveOpenLikeFlags) {
  Findings findings;
  Spec spec = unresolved_spec();
  ASSERT_TRUE(import_into(spec, "model: gpt2\nparallel: {tp: 2, dp: 1}\n", "a.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 1) << "given, though it is the value it would have anyway";
  EXPECT_EQ(spec.batch.seq, 0);
  spec = unresolved_spec();
  ASSERT_TRUE(import_into(spec, "model: gpt2\nparallel: {tp: 2}\n", "b.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 0);
  ASSERT_TRUE(resolve_defaults(spec, 6, "c.yaml", findings));
  EXPECT_EQ(spec.parallel.dp, 3);
  EXPECT_EQ(spec.batch.seq, 1024);
  const auto whole = parse_spec("{model: gpt2}", "d.yaml");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->parallel.dp, 1) << "open only where it is asked for";
  EXPECT_FALSE(check_spec(unresolved_spec()));
}

TEST(SpecDefaults, OtherToolsFilesLeaveDpOpenToo) {
  Findings findings;
  Spec spec = unresolved_spec();
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

TEST(SpecDefaults, AModelNotOfTheCatalogHas2048Tokens) {
  Findings findings;
  Spec spec = unresolved_spec();
  ASSERT_TRUE(import_into(spec, "model: {layers: 2, hidden: 64, heads: 2, vocab: 100}\n", "a.yaml",
                          findings));
  ASSERT_TRUE(resolve_defaults(spec, 0, "", findings));
  EXPECT_EQ(spec.batch.seq, 2048);
  EXPECT_THAT(said(findings), ElementsAre("batch 1: one microbatch per rank; 2,048 tokens each"));
}

}  // namespace
}  // namespace orrery::workload

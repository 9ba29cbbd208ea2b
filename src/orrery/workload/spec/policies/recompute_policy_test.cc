// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/recompute_policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

/// DeepSeek-V3's block, two layers.
Spec latent_job(std::vector<std::string> ops) {
  Spec spec;
  spec.model.layers = 2;
  spec.model.hidden = 7168;
  spec.model.heads = 128;
  spec.model.mlp = Mlp::swiglu;
  spec.model.mla = Mla{.q_rank = 1536};
  spec.model.moe = Moe{.experts = 16, .top_k = 8, .ffn = 2048, .first_dense = 1};
  spec.parallel.dp = spec.parallel.ep = 4;
  spec.batch.seq = 1024;
  if (!ops.empty()) spec.recompute.kind = RecomputeKind::ops;
  spec.recompute.ops = std::move(ops);
  return spec;
}

struct Counted {
  std::int64_t retained = 0, recomputed = 0;
};

/// Bytes that the layers retain, and FLOPs that their backward passes repeat.
Counted counted(std::vector<std::string> ops) {
  Findings findings;
  const auto program = assemble(latent_job(std::move(ops)), findings);
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  Counted made;
  if (!program) return made;
  for (const Part& part : program->parts)
    for (const RetainedTensor& tensor : part.retained) made.retained += tensor.bytes;
  for (const Body& body : program->bodies)
    for (const Op& op : body.ops)
      if (op.phase == Phase::recompute) made.recomputed += op.matmul;
  return made;
}

TEST(RecomputeWords, OfMegatronNameTheSameOperators) {
  for (const auto& [theirs, ours] : {std::pair{"core_attn", "attention"}, {"layernorm", "norm"}}) {
    EXPECT_EQ(counted({theirs}).retained, counted({ours}).retained) << theirs;
    EXPECT_EQ(counted({theirs}).recomputed, counted({ours}).recomputed) << theirs;
  }
  // "activation" is that of the dense layer, too.
  EXPECT_EQ(counted({"mlp", "moe_act"}).retained,
            counted({"mlp_up", "activation", "mlp_down"}).retained);
  EXPECT_GT(counted({"moe_act"}).retained, counted({"activation"}).retained);
  EXPECT_EQ(groups_of("attenton"), 0u);
}

// q_up (1,536 to 128 heads of 192) and kv_up (512 to 128 heads of 128 and 128) run again. Queries,
// keys and values are not retained, but the shared rotary part of the keys is, from which they are
// made; both latents are in both cases.
TEST(RecomputeWords, UpProjectionsOfLatentAttentionAreRepeated) {
  const Counted none = counted({}), up = counted({"mla_up_proj"});
  const std::int64_t tokens = 1024, layers = 2;
  EXPECT_EQ(up.recomputed, 2 * tokens * layers * (1536 * 128 * 192 + 512 * 128 * 256));
  const std::int64_t heads = tokens * 128 * (192 + 192 + 128) * 2;  // bf16
  const std::int64_t rotary = tokens * 64 * 2;
  EXPECT_EQ(none.retained - up.retained, layers * (heads - rotary));
  EXPECT_GT(none.retained, counted({"qkv"}).retained);
}

}  // namespace
}  // namespace orrery::workload

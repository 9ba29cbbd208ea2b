// SPDX-License-Identifier: Apache-2.0
//
// Modules of multi-token prediction.
#include <gtest/gtest.h>

#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/layers/embedding_head.h"
#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

// deepseek-ai/DeepSeek-V3, README_WEIGHTS.md: 11.5 B weights of its own in the module, without the
// shared embedding and head. The projection (0.10 B) brings ours to 11.61 B.
TEST(TokenPrediction, HasTheWeightsOfDeepSeekV3) {
  Model model = find_model("deepseek-v3")->model;
  const std::int64_t without = count_parameters(model).total;
  model.mtp_layers = 1;
  const double added = static_cast<double>(count_parameters(model).total - without) / 1e9;
  EXPECT_NEAR(added, 11.5, 0.12);
}

/// A layer, a projection of 2 × hidden, and logits.
TEST(TokenPrediction, CostsALayerAProjectionAndLogits) {
  for (const std::int64_t tp : {1, 4}) {
    Spec spec = llama();
    spec.parallel.tp = tp;
    spec.parallel.sp = tp > 1;
    spec.model.mtp_layers = 2;
    const LoweredModel model = must_lower(spec);
    const std::int64_t tokens = 4 * 256, hidden = 512, vocab = 1024;
    const auto forward = [&](const char* name) {
      return products_of(part_of(model, name)).forward;
    };
    EXPECT_EQ(forward("mtp layer") - forward("layer"), 2 * tokens * 2 * hidden * hidden / tp);
    EXPECT_EQ(forward("mtp head"), forward("head"));
    EXPECT_EQ(forward("head"), 2 * tokens * hidden * vocab / tp);
    ASSERT_EQ(model.order.size(), 1u + 1u + 4u + 1u);
    expect_whole(part_of(model, "mtp layer").forward, "forward");
    expect_whole(part_of(model, "mtp layer").backward, "backward");
  }
}

// The modules are on the last stage, which then holds a copy of an untied embedding table and sums
// its gradients with the first stage (core/models/gpt/gpt_model.py: pre_process or mtp_process).
TEST(TokenPrediction, IsOnTheLastStageWithACopyOfTheTable) {
  Spec spec = llama();
  spec.model.layers = 4;
  spec.parallel.pp = 2;
  const auto last_weights = [&] {
    Findings findings;
    const Result<Program> program = assemble(spec, findings);
    EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
    std::int64_t sum = 0;
    for (const PartRun& run : program->roles[1].chunks[0])
      sum += run.count * program->parts[run.part].weights.total();
    return sum;
  };
  const std::int64_t without = last_weights();
  const std::int64_t before = count_parameters(spec.model).total;
  spec.model.mtp_layers = 1;
  const std::int64_t module = count_parameters(spec.model).total - before;
  EXPECT_EQ(last_weights() - without, module + 1024 * 512);
  spec.model.tied_embeddings = true;  // the head's table is there anyway
  EXPECT_EQ(last_weights() - without, module);
}

// With full recomputation its layer runs again like others; its logits do not.
TEST(TokenPrediction, RecomputesItsLayer) {
  Spec spec = llama();
  spec.model.mtp_layers = 1;
  spec.recompute.kind = RecomputeKind::full;
  const LoweredModel model = must_lower(spec);
  EXPECT_GT(products_of(part_of(model, "mtp layer")).again,
            products_of(part_of(model, "layer")).again);
  EXPECT_EQ(products_of(part_of(model, "mtp head")).again, 0);
  EXPECT_FALSE(part_of(model, "mtp layer").part.is_layer);
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// What layers keep from the forward to the backward pass, and what they compute again instead.
#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

// Korthikanti et al. (MLSys 2023), equations 1 to 6 and table 2: activations of a layer in bytes.
TEST(RetainedTensor, KeepsWhatKorthikantiCounts) {
  Spec spec = gpt();
  const std::int64_t s = 256, b = 4, h = 512, a = 8, sbh = s * b * h;
  const auto retained = [&] { return bytes_of(part_of(must_lower(spec), "layer").part.retained); };
  EXPECT_EQ(retained(), 34 * sbh + 5 * a * s * s * b);  // equation 1
  const std::int64_t t = spec.parallel.tp = 4;
  EXPECT_EQ(retained(), 10 * sbh + 24 * sbh / t + 5 * a * s * s * b / t);  // 2
  spec.recompute.kind = RecomputeKind::selective;
  EXPECT_EQ(retained(), 10 * sbh + 24 * sbh / t);
  spec.recompute.kind = RecomputeKind::full;
  EXPECT_EQ(retained(), 2 * sbh);
  spec.parallel.sp = true;
  EXPECT_EQ(retained(), 2 * sbh / t);
  spec.recompute.kind = RecomputeKind::none;
  EXPECT_EQ(retained(), (34 * sbh + 5 * a * s * s * b) / t);  // 4
  spec.recompute.kind = RecomputeKind::selective;
  EXPECT_EQ(retained(), 34 * sbh / t);  // 6
}

// Section 4.3 of the paper: embedding dropout, and 4sbh(1 + v/h) in front of the loss.
TEST(RetainedTensor, KeepsWhatKorthikantiCountsAtBothEnds) {
  Spec spec = gpt();
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  const LoweredModel model = must_lower(spec);
  const std::int64_t tokens = 256 * 4, sbh = tokens * 512;
  EXPECT_EQ(bytes_of(part_of(model, "embedding").part.retained), sbh / 4 + 8 * tokens);
  EXPECT_EQ(bytes_of(part_of(model, "head").part.retained), 4 * sbh / 4 + 4 * tokens * 1024 / 4);
}

// What cross entropy keeps of logits, and what it works with: spec/framework.h, Loss.
TEST(RetainedTensor, KeepsLogitsAsTheFrameworkDoes) {
  Spec spec = gpt();
  const std::int64_t logits = std::int64_t{256} * 4 * 1024, x = std::int64_t{256} * 4 * 512 * 2;
  const auto head = [&](Loss loss) {
    spec.kernels.loss = loss;
    const LoweredModel model = must_lower(spec);
    const Part& part = part_of(model, "head").part;
    return std::pair(bytes_of(part.retained) - 2 * x, bytes_of(part.working_tensors) - x);
  };
  // The product's step holds its input and the logits, so that it needs the bytes of `x` more.
  EXPECT_EQ(head(Loss::megatron), std::pair(4 * logits, 2 * logits));
  EXPECT_EQ(head(Loss::megatron_compiled), std::pair(4 * logits, 6 * logits - x));
  EXPECT_EQ(head(Loss::eager), std::pair(4 * logits, 8 * logits - x));
  EXPECT_EQ(head(Loss::compiled), std::pair(2 * logits, 2 * logits));
  EXPECT_EQ(head(Loss::in_place), std::pair(std::int64_t{0}, 2 * logits));
  spec.kernels.loss.reset();
  spec.kernels.framework = Framework::torchtitan_compiled;
  const LoweredModel compiled = must_lower(spec);
  EXPECT_EQ(bytes_of(part_of(compiled, "head").part.retained) - 2 * x, 2 * logits);
}

// Flash attention keeps no scores: queries, keys, values, the context and 4 bytes per query and
// head.
TEST(RetainedTensor, KeepsNoScoresWithFlashAttention) {
  Spec spec = gpt();
  spec.kernels.flash_attention = true;
  const std::int64_t tokens = 256 * 4, sbh = tokens * 512;
  EXPECT_EQ(bytes_of(part_of(must_lower(spec), "layer").part.retained), 34 * sbh + 4 * tokens * 8);
}

// Qi et al. (ICLR 2024): M_W = 32 s b h. Inputs of the four matrices 2 + 2 + 2 + 8, the
// gradients of what they make 6 + 2 + 8 + 2; nothing of the attention core, however it is computed.
TEST(RetainedTensor, HoldsForTheWeightHalfWhatQiCounts) {
  Spec spec = gpt();
  const std::int64_t sbh = 256 * 4 * 512;
  const auto halfway = [&] {
    return bytes_of(part_of(must_lower(spec), "layer").part.split_backward_tensors);
  };
  EXPECT_EQ(halfway(), 32 * sbh);
  spec.kernels.flash_attention = true;
  EXPECT_EQ(halfway(), 32 * sbh);
  for (const RecomputeKind kind : {RecomputeKind::selective, RecomputeKind::full}) {
    spec.recompute.kind = kind;
    EXPECT_EQ(halfway(), 32 * sbh);
  }
  const std::int64_t t = spec.parallel.tp = 4;
  EXPECT_EQ(halfway(),
            (2 + 2 + 2 + 2) * sbh + 24 * sbh / t);  // of whole tokens, and cut by feature
  // Inputs of the column-parallel ones are gathered again; the gradients of what the row-parallel
  // ones make have been gathered for the input half.
  spec.parallel.sp = true;
  EXPECT_EQ(halfway(), (2 + 2) * sbh + 28 * sbh / t);
}

// What several outputs are made of is one tensor, and so is the gradient of a sum.
TEST(RetainedTensor, HoldsATensorOnceForTheWeightHalf) {
  const std::int64_t tokens = 256 * 4, h = 512, kv = 256, f = 1376;
  EXPECT_EQ(bytes_of(part_of(must_lower(llama()), "layer").part.split_backward_tensors),
            2 * tokens * (3 * h + f + (h + 2 * kv) + h + 2 * f + h));
  Spec spec = gpt();  // words and positions: 8 bytes a token, and the gradient of their sum
  EXPECT_EQ(bytes_of(part_of(must_lower(spec), "embedding").part.split_backward_tensors),
            tokens * 8 + 2 * tokens * h);
}

// SwiGLU: inputs 2 x 2sbh of norms, 2 x 2sbh of projections, queries, keys and values, context,
// gate and value and their product.
TEST(RetainedTensor, KeepsThreeTensorsOfAGatedMlp) {
  const std::int64_t tokens = 256 * 4, h = 512, kv = 256, f = 1376;
  EXPECT_EQ(bytes_of(part_of(must_lower(llama()), "layer").part.retained),
            2 * tokens * (4 * h + (h + 2 * kv) + h + 3 * f) + 4 * tokens * 8);
}

// Transformer Engine's products keep their inputs in fp8: of the 34 s b h, those of the four
// matrices (2 + 2 + 2 + 8) take half; attention keeps its own result, norms their own inputs.
TEST(RetainedTensor, KeepsInputsOfProductsInTheFormatOfProducts) {
  Spec spec = gpt();
  spec.kernels.flash_attention = true;
  spec.kernels.framework = Framework::megatron;
  const std::int64_t tokens = 256 * 4, sbh = tokens * 512;
  const auto retained = [&] { return bytes_of(part_of(must_lower(spec), "layer").part.retained); };
  EXPECT_EQ(retained(), 34 * sbh + 4 * tokens * 8);
  spec.precision.products = Dtype::fp8;
  EXPECT_EQ(retained(), (34 - 1 - 1 + 1 - 4) * sbh + 4 * tokens * 8);
  spec.kernels.framework = Framework::torchtitan;  // casts again
  EXPECT_EQ(retained(), 34 * sbh + 4 * tokens * 8);
}

TEST(RetainedTensor, RepeatsWhatIsNotKept) {
  Spec spec = gpt();
  const std::int64_t forward = products_of(part_of(must_lower(spec), "layer")).forward;
  const auto again = [&] { return products_of(part_of(must_lower(spec), "layer")).again; };
  EXPECT_EQ(again(), 0);
  spec.recompute.kind = RecomputeKind::full;
  EXPECT_EQ(again(), forward);
  spec.recompute.kind = RecomputeKind::selective;
  EXPECT_EQ(again(), 4 * 4 * 256 * 256 * 512);  // both products: 4·b·s²·h
  spec.recompute = {RecomputeKind::ops, {"mlp_up"}};
  EXPECT_EQ(again(), std::int64_t{2} * 4 * 256 * 512 * 2048);
  spec.recompute = {RecomputeKind::ops, {"norm", "activation", "mlp_down"}};
  EXPECT_EQ(again(), 0);
}

TEST(RetainedTensor, DropsTheTensorsOfOperatorsThatAreRepeated) {
  Spec spec = gpt();
  const std::int64_t sbh = 256 * 4 * 512;
  const auto retained = [&] { return bytes_of(part_of(must_lower(spec), "layer").part.retained); };
  const std::int64_t all = retained();
  const std::vector<std::pair<std::string, std::int64_t>> expected = {
      {"norm", 4 * sbh},        // what both norms make
      {"qkv", 6 * sbh},         //
      {"mlp_up", 8 * sbh},      // GELU's input
      {"activation", 8 * sbh},  // … and its output
      {"out", 2 * sbh},         // the residual stream between the halves; masks stay
      {"mlp_down", 0},          // the layer's output is the next one's input
      {"attention", 5 * 8 * 256 * 256 * 4},
      {"experts", 0}};
  for (const auto& each : expected) {
    spec.recompute = {RecomputeKind::ops, {each.first}};
    const LoweredModel model = must_lower(spec);
    const Part& part = part_of(model, "layer").part;
    EXPECT_EQ(all - bytes_of(part.retained), each.second) << each.first;
    spec.recompute = {};
    const LoweredModel plain = must_lower(spec);
    EXPECT_EQ(
        bytes_of(part.working_tensors) - bytes_of(part_of(plain, "layer").part.working_tensors),
        each.second)
        << each.first;
  }
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// Parts of models that no entry of the catalog pins alone.
#include "orrery/workload/spec/model.h"

#include <gtest/gtest.h>

namespace orrery::workload {
namespace {

/// Two layers, nothing but products of small numbers.
Model tiny() {
  Model model;
  model.layers = 2;
  model.hidden = 8;
  model.ffn = 20;
  model.heads = 2;
  model.vocab = 100;
  model.positions = Positions::rope;
  model.norm = Norm::rmsnorm;
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  return model;
}
constexpr std::int64_t kAttention = 8 * 24 + 8 * 8;
constexpr std::int64_t kMlp = 2 * 8 * 20;
constexpr std::int64_t kTable = 100 * 8;

std::int64_t total(const Model& model) { return count_parameters(model).total; }

TEST(Parameters, OfATinyDecoder) {
  EXPECT_EQ(total(tiny()), kTable + 2 * (kAttention + kMlp + 2 * 8) + 8);
}

TEST(Parameters, EachFlagAddsItsOwn) {
  const std::int64_t base = total(tiny());
  const auto more = [base](auto change) {
    Model model = tiny();
    change(model);
    return total(model) - base;
  };
  EXPECT_EQ(more([](Model& m) { m.qkv_bias = true; }), 2 * 24);
  EXPECT_EQ(more([](Model& m) { m.out_bias = true; }), 2 * 8);
  EXPECT_EQ(more([](Model& m) { m.mlp_bias = true; }), 2 * 28);
  EXPECT_EQ(more([](Model& m) { m.norm = Norm::layernorm; }), 5 * 8);
  EXPECT_EQ(more([](Model& m) { m.mlp = Mlp::geglu; }), 2 * 8 * 20);
  EXPECT_EQ(more([](Model& m) { m.tied_embeddings = false; }), kTable);
  EXPECT_EQ(more([](Model& m) { m.head_bias = true; }), 100);
  EXPECT_EQ(more([](Model& m) { m.embedding_norm = true; }), 8);
  EXPECT_EQ(more([](Model& m) { m.final_norm = false; }), -8);
  EXPECT_EQ(more([](Model& m) { m.qk_norm = true; }), 2 * 2 * 4);
  EXPECT_EQ(more([](Model& m) { m.post_norms = true; }), 2 * 2 * 8);
  EXPECT_EQ(more([](Model& m) { m.parallel_block = true; }), -2 * 8);
  EXPECT_EQ(more([](Model& m) { m.kv_heads = 1; }), -2 * 2 * 8 * 4);
  EXPECT_EQ(more([](Model& m) { m.token_types = 3; }), 3 * 8);
  EXPECT_EQ(more([](Model& m) { m.positions = Positions::relative; }), 32 * 2);
  EXPECT_EQ(more([](Model& m) { m.positions = Positions::learned, m.max_positions = 50; }), 400);
  EXPECT_EQ(more([](Model& m) { m.window = 3, m.full_every = 2, m.dropout = true; }), 0);
}

TEST(Parameters, ExpertsStandInTheLayersThatHaveThem) {
  Model model = tiny();
  model.layers = 7;
  model.moe = Moe{.experts = 5, .top_k = 2, .ffn = 6, .first_dense = 1, .every = 2};
  std::int64_t layers = 0;
  for (std::int64_t i = 0; i < model.layers; ++i) layers += model.has_experts(i) ? 1 : 0;
  EXPECT_EQ(layers, 3);
  const std::int64_t expert = 2 * 8 * 6;
  const std::int64_t experts = 8 * 5 + 5 * expert;
  EXPECT_EQ(total(model), kTable + 8 + 7 * (kAttention + 16) + 4 * kMlp + 3 * experts);
  EXPECT_EQ(count_parameters(model).active, total(model) - 3 * 3 * expert);
  const std::int64_t before = total(model);
  model.moe->expert_bias = true;
  EXPECT_EQ(total(model) - before, 3 * 5 * (6 + 8));
}

/// Every first_dense and every, against has_experts layer by layer.
TEST(Parameters, AgreeWithHasExperts) {
  for (std::int64_t first = 0; first <= 9; ++first) {
    for (std::int64_t every = 1; every <= 9; ++every) {
      Model model = tiny();
      model.layers = 8;
      model.moe = Moe{.experts = 3, .top_k = 1, .first_dense = first, .every = every};
      std::int64_t layers = 0;
      for (std::int64_t i = 0; i < model.layers; ++i) layers += model.has_experts(i) ? 1 : 0;
      const std::int64_t experts = 8 * 3 + 3 * kMlp;
      EXPECT_EQ(total(model),
                kTable + 8 + 8 * (kAttention + 16) + (8 - layers) * kMlp + layers * experts)
          << first << " " << every;
    }
  }
}

/// Nothing overflows: the largest shape that can be read is cut to what 64 bits hold.
TEST(Parameters, AreCutAtTheEndOfTheRange) {
  Model model;
  model.layers = 65536;
  model.hidden = 1 << 20;
  model.ffn = 1 << 22;
  model.heads = 1;
  model.mlp = Mlp::swiglu;
  model.moe = Moe{.experts = 65536, .top_k = 65536};
  const ParameterCount count = count_parameters(model);
  EXPECT_EQ(count.total, INT64_MAX);
  EXPECT_EQ(count.matmul, INT64_MAX);
  EXPECT_EQ(count.embedding, (std::int64_t{32000} << 20));
}

}  // namespace
}  // namespace orrery::workload

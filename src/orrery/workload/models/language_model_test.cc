// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

TEST(LowerLanguageModel, ComputesTwiceAsMuchBackward) {
  for (Spec spec : {gpt(), llama()}) {
    for (const bool flash : {false, true}) {
      spec.kernels.flash_attention = flash;
      for (const LoweredPart& part : must_lower(spec).parts) {
        const Products sum = products_of(part);
        EXPECT_EQ(sum.backward, 2 * sum.forward) << part.part.name;
      }
    }
  }
}

// 6 · P · tokens for the matrices, 12 · S · a · tokens for materialized attention, half of it when
// causal pairs only are computed (Chowdhery et al., 2022, appendix B).
TEST(LowerLanguageModel, ComputesSixTimesWeightsTimesTokens) {
  const std::int64_t tokens = 256 * 4, h = 512, kv = 256, f = 1376;
  const LoweredModel model = must_lower(llama());
  const std::int64_t weights = h * (h + 2 * kv) + h * h + 3 * h * f;
  Products sum = products_of(part_of(model, "layer"));
  EXPECT_EQ(sum.forward + sum.backward, 6 * tokens * weights + 6 * tokens * 256 * h);
  EXPECT_EQ(sum.again, tokens * 256 * h);  // flash attention: one product of causal pairs
  sum = products_of(part_of(model, "head"));
  EXPECT_EQ(sum.forward + sum.backward, 6 * tokens * h * 1024);
  Spec spec = llama();
  spec.kernels.flash_attention = false;
  sum = products_of(part_of(must_lower(spec), "layer"));
  EXPECT_EQ(sum.forward + sum.backward, 6 * tokens * weights + 12 * tokens * 256 * h);
}

// Shoeybi et al. (2019), figure 4: two all-reduces forward, two backward.
TEST(LowerLanguageModel, ReducesFourTimesPerLayerWithTensorParallelism) {
  Spec spec = gpt();
  spec.parallel.tp = 4;
  const std::int64_t size = 2 * 256 * 4 * 512;
  LoweredModel model = must_lower(spec);
  using Sums = std::map<std::string, Traffic>;
  const Sums two = {{"all_reduce tp", {2, 2 * size}}};
  EXPECT_EQ(traffic_of(part_of(model, "layer").forward), two);
  EXPECT_EQ(traffic_of(part_of(model, "layer").backward), two);
  const std::int64_t loss = 3 * 4 * 256 * 4;
  EXPECT_EQ(traffic_of(part_of(model, "head").forward), (Sums{{"all_reduce tp", {3, loss}}}));
  EXPECT_EQ(traffic_of(part_of(model, "head").backward), (Sums{{"all_reduce tp", {1, size}}}));
  EXPECT_EQ(traffic_of(part_of(model, "embedding").forward), (Sums{{"all_reduce tp", {1, size}}}));
  EXPECT_EQ(traffic_of(part_of(model, "embedding").backward), Sums{});
  spec.recompute.kind = RecomputeKind::full;
  model = must_lower(spec);
  EXPECT_EQ(traffic_of(part_of(model, "layer").backward), (Sums{{"all_reduce tp", {4, 4 * size}}}));
}

// Korthikanti et al., figure 5 and section 4.2.2: each all-reduce is a reduce-scatter and an
// all-gather, and the inputs of both column-parallel products are gathered once more.
TEST(LowerLanguageModel, GathersAndScattersWithSequenceParallelism) {
  Spec spec = gpt();
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  const std::int64_t size = 2 * 256 * 4 * 512;
  LoweredModel model = must_lower(spec);
  using Sums = std::map<std::string, Traffic>;
  EXPECT_EQ(traffic_of(part_of(model, "layer").forward),
            (Sums{{"all_gather tp", {2, 2 * size / 4}}, {"reduce_scatter tp", {2, 2 * size}}}));
  EXPECT_EQ(traffic_of(part_of(model, "layer").backward),
            (Sums{{"all_gather tp", {4, 4 * size / 4}}, {"reduce_scatter tp", {2, 2 * size}}}));
  EXPECT_EQ(traffic_of(part_of(model, "embedding").forward),
            (Sums{{"reduce_scatter tp", {1, size}}}));
  EXPECT_EQ(traffic_of(part_of(model, "embedding").backward),
            (Sums{{"all_gather tp", {1, size / 4}}}));
  EXPECT_EQ(part_of(model, "layer").part.boundary, size / 4);
  spec.recompute.kind = RecomputeKind::full;
  model = must_lower(spec);
  EXPECT_EQ(traffic_of(part_of(model, "layer").backward),
            (Sums{{"all_gather tp", {6, 6 * size / 4}}, {"reduce_scatter tp", {4, 4 * size}}}));
}

// The input's gradient is reduced during the weights' gradient, and the norm waits for it.
TEST(LowerLanguageModel, ReducesGradientsBesideWeightGradients) {
  Spec spec = gpt();
  spec.parallel.tp = 2;
  const LoweredModel model = must_lower(spec);
  const std::vector<Op>& ops = part_of(model, "layer").backward;
  std::vector<std::string> names;
  for (const Op& op : ops) names.emplace_back(op.name);
  const std::vector<std::string> end(names.end() - 4, names.end());
  EXPECT_EQ(end, (std::vector<std::string>{"qkv.dgrad", "qkv.reduce.dgrad", "qkv.wgrad",
                                           "attention_norm.dgrad"}));
  EXPECT_FALSE(waits_for(*find(ops, "qkv.wgrad"), stream::tp));
  EXPECT_TRUE(waits_for(*find(ops, "attention_norm.dgrad"), stream::tp));
}

// … and with sequence parallelism the input is gathered during dgrad.
TEST(LowerLanguageModel, GathersInputsBesideInputGradients) {
  Spec spec = gpt();
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  const LoweredModel model = must_lower(spec);
  const std::vector<Op>& ops = part_of(model, "layer").backward;
  EXPECT_EQ(find(ops, "qkv.gather.wgrad")->marks, stream::layer_register);
  EXPECT_EQ(find(ops, "qkv.gather.wgrad")->phase, Phase::weight_grad);  // no other op needs it
  EXPECT_FALSE(waits_for(*find(ops, "qkv.dgrad"), stream::tp));
  EXPECT_TRUE(waits_for(*find(ops, "qkv.wgrad"), stream::layer_register));
  EXPECT_TRUE(waits_for(*find(ops, "out.dgrad"), stream::tp));
}

TEST(LowerLanguageModel, TakesTurnsWithoutOverlap) {
  Spec spec = gpt();
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.schedule.overlap = false;
  const LoweredModel model = must_lower(spec);
  const std::vector<Op>& ops = part_of(model, "layer").backward;
  for (std::size_t i = 1; i < ops.size(); ++i) {
    if (ops[i].stream != ops[i - 1].stream) {
      EXPECT_TRUE(waits_for(ops[i], ops[i - 1].stream)) << ops[i].name;
    }
  }
}

TEST(LowerLanguageModel, MergesElementWiseChains) {
  Spec spec = gpt();
  spec.parallel.tp = 2;
  const LoweredModel fused = must_lower(spec);
  spec.kernels.fused = false;
  const LoweredModel plain = must_lower(spec);
  const LoweredPart &one = part_of(fused, "layer"), &other = part_of(plain, "layer");
  std::int64_t flops[2] = {0, 0}, bytes[2] = {0, 0};
  for (const Op& op : one.forward) flops[0] += op.vector, bytes[0] += op.bytes;
  for (const Op& op : other.forward) flops[1] += op.vector, bytes[1] += op.bytes;
  EXPECT_EQ(flops[0], flops[1]);
  // Bias, dropout, residual and norm in one kernel: three times nothing is written and read between
  // bias, dropout and residual; the norm reads nothing. Softmax and dropout: nothing is read.
  const std::int64_t size = 2 * 256 * 4 * 512, scores = 2 * 4 * 8 / 2 * 256 * 256;
  EXPECT_EQ(bytes[1] - bytes[0], 2 * 2 * size * 2 + size + scores);
  EXPECT_LT(one.forward.size(), other.forward.size());
}

TEST(LowerLanguageModel, PutsTheSameFlopsOnAllTensorParallelRanks) {
  Spec bert = gpt(), latent = llama();
  bert.model.kind = ModelKind::encoder;
  bert.model.pooler = true;
  latent.model.mla = Mla{96, 64, 32, 16, 48};
  for (Spec spec : {gpt(), llama(), bert, latent}) {
    spec.kernels.flash_attention = true;
    std::vector<Products> whole;
    for (const LoweredPart& part : must_lower(spec).parts) whole.push_back(products_of(part));
    for (const std::int64_t tp : {2, 4}) {
      for (const std::int64_t cp : {1, 2, 4}) {
        for (const bool sp : {false, true}) {
          spec.parallel.tp = tp;
          spec.parallel.cp = cp;
          spec.parallel.sp = sp;
          const LoweredModel model = must_lower(spec);
          ASSERT_EQ(model.parts.size(), whole.size());
          for (std::size_t i = 0; i < whole.size(); ++i) {
            const Products part = products_of(model.parts[i]);
            EXPECT_EQ(part.forward * tp * cp, whole[i].forward) << model.parts[i].part.name;
            EXPECT_EQ(part.backward * tp * cp, whole[i].backward) << model.parts[i].part.name;
          }
        }
      }
    }
  }
}

std::int64_t weights_of(const Spec& spec) {
  const LoweredModel model = must_lower(spec);
  std::int64_t sum = 0;
  for (const PartRun& run : model.order) {
    const Weights& weights = model.parts[run.part].part.weights;
    sum += run.count * (spec.parallel.tp * weights.dense + weights.replicated + weights.expert);
  }
  return sum;
}

// The parts of all tp ranks hold what the model is said to have.
TEST(LowerLanguageModel, HoldsTheModelsWeights) {
  std::vector<Spec> specs = {gpt(), llama()};
  Spec spec = llama();  // everything that can be there
  spec.model.qk_norm = spec.model.post_norms = spec.model.embedding_norm = true;
  spec.model.qkv_bias = spec.model.mlp_bias = spec.model.head_bias = true;
  specs.push_back(spec);
  spec = gpt();
  spec.model.parallel_block = true;
  specs.push_back(spec);
  spec.model.post_norms = true;
  specs.push_back(spec);
  spec = gpt();
  spec.model.kind = ModelKind::encoder;
  spec.model.token_types = 2;
  spec.model.pooler = spec.model.embedding_norm = spec.model.head_bias = true;
  spec.model.final_norm = false;
  specs.push_back(spec);
  spec = llama();
  spec.model.positions = Positions::relative;
  spec.model.kind = ModelKind::encoder_decoder;
  spec.model.encoder_layers = 4;
  specs.push_back(spec);
  spec = llama();
  spec.model.mla = Mla{96, 64, 32, 16, 48};
  specs.push_back(spec);
  spec.model.mla->q_rank = 0;
  specs.push_back(spec);
  for (Spec& each : specs) {
    for (const std::int64_t tp : {1, 4}) {
      each.parallel.tp = tp;
      EXPECT_EQ(weights_of(each), count_parameters(each.model).total) << &each - specs.data();
    }
  }
}

// All two-dimensional weights between embedding and head.
TEST(LowerLanguageModel, NamesItsMatrices) {
  Spec spec = llama();
  spec.parallel.tp = 2;
  const LoweredModel model = must_lower(spec);
  EXPECT_EQ(part_of(model, "layer").part.weights.matrices,
            (512 * (512 + 2 * 256) + 512 * 512 + 3 * 512 * 1376) / 2);
  EXPECT_EQ(part_of(model, "embedding").part.weights.matrices, 0);
  EXPECT_EQ(part_of(model, "head").part.weights.matrices, 0);
}

TEST(LowerLanguageModel, HoldsATiedTableTwiceAcrossStages) {
  Spec spec = gpt();
  EXPECT_EQ(part_of(must_lower(spec), "head").part.weights.dense, 0);
  spec.parallel.pp = 2;
  EXPECT_EQ(part_of(must_lower(spec), "head").part.weights.dense, 1024 * 512);
}

TEST(LowerLanguageModel, PutsEqualLayersTogether) {
  Spec spec = gpt();
  spec.model.layers = 7;
  LoweredModel model = must_lower(spec);
  ASSERT_EQ(model.order.size(), 3U);
  EXPECT_EQ(model.order[1].count, 7U);
  EXPECT_EQ(model.order[1].layer, 0);
  EXPECT_EQ(model.order[0].layer, -1);
  spec.model.window = 64;
  spec.model.full_every = 3;  // w w f w w f w
  model = must_lower(spec);
  EXPECT_EQ(model.parts.size(), 4U);
  ASSERT_EQ(model.order.size(), 7U);
  const std::uint32_t counts[] = {1, 2, 1, 2, 1, 1, 1};
  const std::int32_t layers[] = {-1, 0, 2, 3, 5, 6, -1};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(model.order[i].count, counts[i]) << i;
    EXPECT_EQ(model.order[i].layer, layers[i]) << i;
  }
  EXPECT_EQ(model.parts[1].part.name, "layer (window 64)");
  spec.model.window = 256;  // as long as the sequence: no window
  EXPECT_EQ(must_lower(spec).parts.size(), 3U);
}

// DeepSeek-V2, section 2.1: the formula stands in mla.h.
TEST(LowerLanguageModel, CountsLatentAttention) {
  Spec spec = llama();
  spec.model.mla = Mla{96, 64, 32, 16, 48};
  const std::int64_t d = 512, q = 96, kv = 64, n = 32, r = 16, v = 48, heads = 8;
  const std::int64_t s = 256, t = 4 * s, mlp = 3 * 2 * t * d * 1376;
  for (const std::int64_t tp : {1, 4}) {
    spec.parallel.tp = tp;
    const std::int64_t up = q * heads * (n + r) + kv * heads * (n + v) + heads * v * d;
    const std::int64_t core = 4 * s * s * heads * (n + r + v);  // 2·b·s²·H·(…), half of it
    const LoweredModel model = must_lower(spec);
    std::int64_t executed = 0;
    for (const Op& op : part_of(model, "layer").forward) executed += op.matmul;
    EXPECT_EQ(executed, 2 * t * (d * q + d * (kv + r) + up / tp) + core / tp + mlp / tp);
    // What all ranks of tp compute is needed once.
    Products sum = products_of(part_of(model, "layer"));
    EXPECT_EQ(sum.forward * tp, 2 * t * (d * q + d * (kv + r) + up) + core + mlp);
    EXPECT_EQ(sum.backward, 2 * sum.forward);
    spec.parallel.sp = true;  // every rank projects its own tokens down
    sum = products_of(part_of(must_lower(spec), "layer"));
    EXPECT_EQ(sum.forward * tp, 2 * t * (d * q + d * (kv + r) + up) + core + mlp);
    spec.parallel.sp = false;
  }
}

TEST(LowerLanguageModel, AttendsToASource) {
  Spec spec = llama();
  spec.model.kind = ModelKind::encoder_decoder;
  spec.model.encoder_layers = 2;
  spec.batch.source_seq = 512;
  const LoweredModel model = must_lower(spec);
  ASSERT_EQ(model.order.size(), 5U);  // embedding, encoder, last of it, decoder, head
  EXPECT_EQ(model.order[3].layer, 2);
  EXPECT_EQ(model.order[3].count, 3U);
  const std::int64_t h = 512, kv = 256, t = 4 * 256, source = 4 * 512;
  const Products encoder = products_of(part_of(model, "encoder layer"));
  const std::int64_t mlp = 3 * h * 1376;
  EXPECT_EQ(encoder.forward, 2 * source * (h * (h + 2 * kv) + h * h + mlp) + 4 * source * 512 * h);
  const Products decoder = products_of(part_of(model, "decoder layer"));
  EXPECT_EQ(decoder.forward, 2 * t * (h * (h + 2 * kv) + h * h + mlp) + 2 * t * 256 * h +
                                 2 * t * 2 * h * h + 2 * source * h * 2 * kv + 4 * t * 512 * h);
  EXPECT_EQ(decoder.backward, 2 * decoder.forward);
  // Both streams go from stage to stage.
  EXPECT_EQ(part_of(model, "encoder layer").part.boundary, 2 * (t + source) * h);
  EXPECT_EQ(part_of(model, "decoder layer").part.boundary, 2 * (t + source) * h);
  // The encoder's output is kept once for all layers of a stage.
  EXPECT_EQ(part_of(model, "decoder layer").part.shared.bytes, 2 * source * h);
  EXPECT_EQ(part_of(model, "encoder layer").part.shared.bytes, 0);
}

TEST(LowerLanguageModel, LeavesNothingUnfinished) {
  for (Spec spec : {gpt(), llama()}) {
    spec.parallel.tp = spec.parallel.cp = 2;
    for (const ContextMethod method :
         {ContextMethod::ring, ContextMethod::all_gather, ContextMethod::ulysses}) {
      spec.parallel.cp_method = method;
      for (const RecomputeKind kind :
           {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full}) {
        spec.recompute.kind = kind;
        for (const bool sp : {false, true}) {
          spec.parallel.sp = sp;
          for (const LoweredPart& part : must_lower(spec).parts) {
            expect_whole(part.forward, part.part.name);
            expect_whole(part.backward, part.part.name + " backward");
          }
        }
      }
    }
  }
}

// Errc::config_range: what does not fit 62 bits is refused, not wrapped around.
TEST(LowerLanguageModel, RefusesWhatDoesNotFit) {
  Spec spec = gpt();
  spec.batch.seq = std::int64_t{1} << 26;
  spec.batch.micro = 1 << 20;
  const auto model = lower_language_model(spec, Mesh(spec), {});
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, Errc::config_range);
  EXPECT_NE(model.error().what.find("layer"), std::string::npos) << model.error().what;
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// Mamba-2 layers and hybrid models.
#include "orrery/workload/layers/mamba.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kMambaTokens = 4 * 256, kMambaHidden = 512, kMambaHeads = 16,
                       kMambaChannels = 64, kMambaGroups = 8, kMambaState = 128, kMambaChunk = 64;

Spec hybrid(std::string pattern = "M*-") {
  Spec spec = llama();
  spec.model.layers = static_cast<std::int64_t>(pattern.size());
  spec.model.pattern = std::move(pattern);
  spec.model.mamba = Mamba{};
  spec.model.mamba->chunk = kMambaChunk;
  return spec;
}

std::int64_t mamba_flops(const std::vector<Op>& ops, bool repeated) {
  std::int64_t sum = 0;
  for (const Op& op : ops)
    if (op.op_class == OpClass::attention)
      sum += repeated ? op.repeated_flops : op.matmul - op.repeated_flops;
  return sum;
}

/// The scan's products as mamba.h counts them.
struct ScanFlops {
  std::int64_t states = 2 * kMambaTokens * kMambaHeads * kMambaChannels * kMambaState;
  std::int64_t chunk = 2 * kMambaTokens * kMambaHeads * kMambaChannels * ((kMambaChunk + 2) / 2);
  std::int64_t scores = 2 * kMambaTokens * kMambaGroups * kMambaChunk * kMambaState;
};

TEST(Mamba, CountsTheScan) {
  const ScanFlops scan;
  for (const std::int64_t tp : {1, 2, 8}) {
    Spec spec = hybrid();
    spec.model.heads = 8;
    spec.model.kv_heads = 8;
    spec.parallel.tp = tp;
    spec.parallel.sp = tp > 1;
    const LoweredModel model = must_lower(spec);
    const LoweredPart& layer = part_of(model, "mamba layer");
    const std::int64_t forward = 2 * scan.states + scan.chunk + scan.scores;
    EXPECT_EQ(mamba_flops(layer.forward, false), forward / tp);
    // The gradient of `scores` is causal, like the product that reads it.
    EXPECT_EQ(mamba_flops(layer.backward, false), 2 * forward / tp);
    EXPECT_EQ(mamba_flops(layer.backward, true), (scan.states + scan.scores) / tp);
    expect_whole(layer.forward, "forward");
    expect_whole(layer.backward, "backward");
  }
}

TEST(Mamba, ProjectsInAndOut) {
  const LoweredModel model = must_lower(hybrid());
  const LoweredPart& layer = part_of(model, "mamba layer");
  const std::int64_t inner = kMambaHeads * kMambaChannels,
                     features = 2 * inner + 2 * kMambaGroups * kMambaState + kMambaHeads;
  EXPECT_EQ(find(layer.forward, "mamba.in")->matmul, 2 * kMambaTokens * kMambaHidden * features);
  EXPECT_EQ(find(layer.forward, "mamba.out")->matmul, 2 * kMambaTokens * kMambaHidden * inner);
  // Four sequences are transposed for the kernels, one is not.
  EXPECT_NE(find(layer.forward, "mamba.in.turn"), nullptr);
  Spec single = hybrid();
  single.batch.micro = 1;
  const LoweredModel one = must_lower(single);
  for (const Op& op : part_of(one, "mamba layer").forward)
    EXPECT_EQ(std::string(op.name).find("turn"), std::string::npos);
}

// Saved: the layer's input, its norm (input of the projection), zxbcdt, the scan's output before
// and after the gate, and its norm (input of the projection out).
TEST(Mamba, SavesWhatItsKernelSaves) {
  const LoweredModel model = must_lower(hybrid());
  const std::int64_t inner = kMambaHeads * kMambaChannels,
                     features = 2 * inner + 2 * kMambaGroups * kMambaState + kMambaHeads;
  EXPECT_EQ(bytes_of(part_of(model, "mamba layer").part.retained),
            2 * kMambaTokens * (kMambaHidden + kMambaHidden + features + 3 * inner));
  Spec full = hybrid();
  full.recompute.kind = RecomputeKind::full;
  const LoweredModel again = must_lower(full);
  EXPECT_EQ(bytes_of(part_of(again, "mamba layer").part.retained), 2 * kMambaTokens * kMambaHidden);
}

TEST(Mamba, HoldsTheWeightsThatTheModelCounts) {
  for (const char* const pattern : {"M", "MM*-", "M-M*-", "ME*M"}) {
    Spec spec = hybrid(pattern);
    if (spec.model.layers_of(LayerSymbol::experts) > 0)
      spec.model.moe = Moe{.experts = 4, .top_k = 2, .ffn = 64};
    const LoweredModel model = must_lower(spec);
    std::int64_t weights = 0;
    for (const PartRun& run : model.order)
      weights += run.count * model.parts[run.part].part.weights.total();
    EXPECT_EQ(weights, count_parameters(spec.model).total) << pattern;
  }
}

// state-spaces/mamba2-2.7b: 2.7 B (d_model 2560, 64 layers, 1 group). nvidia/Nemotron-H-8B-Base-8K:
// 8.1 B. nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B: 31.6 B, of which 3.6 B are active with both tables.
TEST(Mamba, CountsThePublishedWeights) {
  Model mamba;
  mamba.layers = 64;
  mamba.pattern = std::string(64, 'M');
  mamba.hidden = 2560;
  mamba.heads = 1;
  mamba.vocab = 50288;
  mamba.norm = Norm::rmsnorm;
  mamba.positions = Positions::none;
  mamba.mamba = Mamba{.groups = 1};
  EXPECT_NEAR(static_cast<double>(count_parameters(mamba).total) / 1e9, 2.7, 0.01);

  Model nemotron;
  nemotron.pattern = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-";
  nemotron.layers = static_cast<std::int64_t>(nemotron.pattern.size());
  EXPECT_EQ(nemotron.layers, 52);
  nemotron.hidden = 4096;
  nemotron.heads = 32;
  nemotron.kv_heads = 8;
  nemotron.head_dim = 128;
  nemotron.ffn = 21504;
  nemotron.vocab = 131072;
  nemotron.mlp = Mlp::relu;
  nemotron.norm = Norm::rmsnorm;
  nemotron.positions = Positions::none;
  nemotron.qkv_bias = nemotron.out_bias = nemotron.mlp_bias = nemotron.tied_embeddings = false;
  nemotron.mamba = Mamba{.heads = 128};
  EXPECT_NEAR(static_cast<double>(count_parameters(nemotron).total) / 1e9, 8.1, 0.05);

  Model nano = nemotron;
  nano.pattern = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME";
  nano.hidden = 2688;
  nano.kv_heads = 2;
  nano.mamba = Mamba{.heads = 64};
  nano.moe = Moe{.experts = 128, .top_k = 6, .ffn = 1856, .shared_experts = 1, .shared_ffn = 3712};
  EXPECT_EQ(nano.pattern.size(), 52u);
  EXPECT_NEAR(static_cast<double>(count_parameters(nano).total) / 1e9, 31.6, 0.05);
  EXPECT_NEAR(static_cast<double>(count_parameters(nano).active) / 1e9, 3.6, 0.05);
}

TEST(Hybrid, RunsTheLayersOfThePattern) {
  Spec spec = hybrid("MM*-E");
  spec.model.moe = Moe{.experts = 4, .top_k = 2, .ffn = 64};
  const LoweredModel model = must_lower(spec);
  std::string order;
  for (const PartRun& run : model.order)
    order += std::to_string(run.count) + " " + model.parts[run.part].part.name + ", ";
  EXPECT_EQ(order,
            "1 embedding, 2 mamba layer, 1 attention layer, 1 mlp layer, 1 moe layer, 1 head, ");
}

}  // namespace
}  // namespace orrery::workload

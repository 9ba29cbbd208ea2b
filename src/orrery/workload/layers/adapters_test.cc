// SPDX-License-Identifier: Apache-2.0
//
// Adapters inside layers: products, what is kept for them, what goes over tp.
#include "orrery/workload/layers/adapters.h"

#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kRank = 8, kTokens = 256 * 4, kInput = 512;

Spec lora(Spec spec, std::vector<std::string> targets = {}) {
  spec.lora = Lora{kRank, std::move(targets)};
  return spec;
}

LoweredPart layer_of(const Spec& spec) { return part_of(must_lower(spec), "layer"); }

/// Matrix products of a phase, without what is repeated.
std::int64_t products(const std::vector<Op>& ops, Phase phase, bool adapters) {
  std::int64_t sum = 0;
  for (const Op& op : ops) {
    const bool of_adapter = std::string_view(op.name).find("lora") != std::string_view::npos;
    if (op.phase == phase && of_adapter == adapters) sum += op.matmul - op.repeated_flops;
  }
  return sum;
}

// To the FLOP: the input half is W's and the adapters' dgrad, the weight half the adapters' wgrad.
TEST(Adapters, BackwardIsDgradOfTheBaseAndAllOfTheAdapters) {
  for (Spec spec : {gpt(), llama()}) {
    for (const RecomputeKind kind :
         {RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full}) {
      spec.recompute.kind = kind;
      const LoweredPart plain = layer_of(spec), with = layer_of(lora(spec));
      const std::int64_t adapters = 2 * kTokens * with.part.trained().total();
      EXPECT_GT(adapters, 0);
      EXPECT_EQ(products(with.forward, Phase::forward, false),
                products(plain.forward, Phase::forward, false));
      EXPECT_EQ(products(with.forward, Phase::forward, true), adapters);
      EXPECT_EQ(products(with.backward, Phase::input_grad, false),
                products(plain.backward, Phase::input_grad, false));
      EXPECT_EQ(products(with.backward, Phase::input_grad, true), adapters);
      EXPECT_EQ(products(with.backward, Phase::weight_grad, false), 0);
      EXPECT_EQ(products(with.backward, Phase::weight_grad, true), adapters);
    }
  }
}

// Nothing behind the first layer is differentiated, and no frozen weight.
TEST(Adapters, EndsHaveNoWeightGradients) {
  for (const Spec& spec : {lora(gpt()), lora(llama())}) {
    const LoweredModel model = must_lower(spec);
    EXPECT_TRUE(part_of(model, "embedding").backward.empty());
    EXPECT_TRUE(part_of(model, "embedding").part.retained.empty());
    for (const Op& op : part_of(model, "head").backward)
      EXPECT_EQ(op.phase, Phase::input_grad) << op.name;
    for (const char* const end : {"embedding", "head"}) {
      const Part& part = part_of(model, end).part;
      EXPECT_EQ(part.trained().total(), 0);
      EXPECT_EQ(bytes_of(part.split_backward_tensors), 0);
      EXPECT_GT(part.weights.total(), 0);
    }
  }
}

// A LLaMA layer keeps 34 s b h and a bit for all its gradients. With adapters of q and v only:
// inputs of the norms and the projection's normed input, what attention needs, what the activation
// needs; and x·A twice.
TEST(Adapters, KeepsOnlyWhatIsStillComputed) {
  const std::int64_t sbh = 2 * kTokens * kInput, inner = 2 * kTokens * 1376;
  const std::int64_t kv = sbh / 2, statistics = 4 * kTokens * 8;  // 4 of 8 heads
  const auto retained = [](const Spec& spec) { return bytes_of(layer_of(spec).part.retained); };
  // layer input, normed, q, k, v, context, its statistics, residual, normed, up and gate, their
  // product
  EXPECT_EQ(retained(llama()), sbh * 6 + kv * 2 + statistics + inner * 3);
  const std::int64_t middle = 2 * kTokens * kRank;
  EXPECT_EQ(retained(lora(llama(), {"q", "v"})),
            sbh * 5 + kv * 2 + statistics + inner * 2 + middle * 2);
  EXPECT_EQ(retained(lora(llama(), {"mlp_down"})),
            sbh * 4 + kv * 2 + statistics + inner * 3 + middle);
  EXPECT_EQ(retained(lora(llama())), retained(llama()) + 7 * middle);
}

// Between the halves of the backward pass: x and x·A of each adapter, and their gradients'
// partners.
TEST(Adapters, HoldsForTheWeightHalfWhatAdaptersNeed) {
  const std::int64_t sbh = 2 * kTokens * kInput, middle = 2 * kTokens * kRank;
  const auto halfway = [](const Spec& spec) {
    return bytes_of(layer_of(spec).part.split_backward_tensors);
  };
  EXPECT_EQ(halfway(lora(llama(), {"q"})), sbh + 2 * middle + sbh);
  EXPECT_EQ(halfway(lora(llama(), {"q", "out"})), (sbh + 2 * middle + sbh) * 2);
}

// PEFT's LoraParallelLinear. Columns: A whole on every rank, B cut; rows: A cut, B whole.
TEST(Adapters, TensorParallelismCutsOneOfTheTwo) {
  Spec spec = lora(llama(), {"q", "out"});
  const std::int64_t pair = kRank * kInput;
  for (const bool sp : {false, true}) {
    spec.parallel.tp = 4;
    spec.parallel.sp = sp;
    const Weights trained = layer_of(spec).part.trained();
    EXPECT_EQ(trained.replicated, 2 * pair);
    EXPECT_EQ(trained.dense, 2 * pair / 4);
  }
}

// In addition to the base model's traffic: x·A, rank features wide.
TEST(Adapters, TrafficIsRankFeaturesWide) {
  Spec spec = llama();
  spec.parallel.tp = 4;
  const std::int64_t middle = 2 * kTokens * kRank;
  const auto more = [](const Traffic& with, const Traffic& without) {
    return Traffic{with.count - without.count, with.size - without.size};
  };
  const auto compare = [&](const char* type, bool back) {
    const LoweredPart with = layer_of(lora(spec, {"q", "out"})), without = layer_of(spec);
    return more(traffic_of(back ? with.backward : with.forward)[type],
                traffic_of(back ? without.backward : without.forward)[type]);
  };
  EXPECT_EQ(compare("all_reduce tp", false), (Traffic{1, middle}));  // of out's
  EXPECT_EQ(compare("all_reduce tp", true), (Traffic{1, middle}));   // of q's gradient
  spec.parallel.sp = true;
  EXPECT_EQ(compare("all_gather tp", false), (Traffic{1, middle / 4}));
  EXPECT_EQ(compare("reduce_scatter tp", false), (Traffic{1, middle}));
  EXPECT_EQ(compare("reduce_scatter tp", true), (Traffic{1, middle}));
  // Backward: out's gradient and q's x·A again; less the base's inputs for gradients of W, qkv and
  // the MLP's first.
  EXPECT_EQ(compare("all_gather tp", true),
            (Traffic{0, 2 * middle / 4 - 2 * (2 * kTokens * kInput / 4)}));
}

// All ranks together multiply what one does alone.
TEST(Adapters, RanksShareTheWork) {
  Spec spec = lora(llama());
  const Products alone = products_of(layer_of(spec));
  spec.parallel.tp = 4;
  for (const bool sp : {false, true}) {
    spec.parallel.sp = sp;
    const Products each = products_of(layer_of(spec));
    EXPECT_EQ(4 * each.forward, alone.forward);
    EXPECT_EQ(4 * each.backward, alone.backward);
  }
}

TEST(Adapters, WhatCommunicatesIsWaitedFor) {
  for (Spec spec : {lora(gpt()), lora(llama())}) {
    spec.parallel.tp = 4;
    for (const bool sp : {false, true}) {
      spec.parallel.sp = sp;
      for (const LoweredPart& part : must_lower(spec).parts) {
        expect_whole(part.forward, part.part.name + " forward");
        expect_whole(part.backward, part.part.name + " backward");
      }
    }
  }
}

// Norms are frozen, too: 6 of 9 FLOPs per element are left of an RMS norm's backward pass.
TEST(Adapters, FrozenNormsHaveInputGradientsOnly) {
  EXPECT_EQ(norm_flops(Norm::rmsnorm, false).backward, 9);
  EXPECT_EQ(norm_flops(Norm::rmsnorm, true).backward, 6);
  EXPECT_EQ(norm_flops(Norm::layernorm, true).backward, 14);
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/model_state.h"

#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_testing.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kElements = 1 << 20;
constexpr std::int64_t kRanks = 16;

Spec with(Sharding sharding, Precision precision = {}, OptimizerKind kind = OptimizerKind::adam) {
  Spec spec;
  spec.parallel.dp = kRanks;
  spec.parallel.sharding = sharding;
  spec.precision = precision;
  spec.optimizer.kind = kind;
  return spec;
}

ModelStateBytes dense(const Spec& spec, std::int64_t elements = kElements,
                      std::int64_t matrices = 0) {
  Weights weights;
  weights.dense = elements;
  weights.matrices = matrices;
  return ModelState(spec, Mesh(spec)).dense(weights);
}

/// Bytes per element, where `whole` lie on every rank and `shared` are shared out.
double per_element(const ModelStateBytes& bytes) {
  return static_cast<double>(bytes.total()) / static_cast<double>(kElements);
}
double formula(double whole, double shared) { return whole + shared / static_cast<double>(kRanks); }

// ZeRO (Rajbhandari et al., SC20), figure 1, with K = 12, and gradients in fp32 as Megatron keeps
// them: 18, 6 + 12/d, 2 + 16/d, 18/d.
TEST(MemoryState, FollowsTheStagesOfZero) {
  EXPECT_EQ(per_element(dense(with(Sharding::none))), 18);
  EXPECT_EQ(per_element(dense(with(Sharding::zero1))), formula(6, 12));
  EXPECT_EQ(per_element(dense(with(Sharding::zero2))), formula(2, 16));
  EXPECT_EQ(per_element(dense(with(Sharding::zero3))), formula(0, 18));
}

// The same with gradients in bf16: the paper's own figures, 16, 4 + 12/d, 2 + 14/d, 16/d.
TEST(MemoryState, GradientsOfTwoBytesCostTwoBytes) {
  Precision precision;
  precision.gradients = Dtype::bf16;
  EXPECT_EQ(per_element(dense(with(Sharding::none, precision))), 16);
  EXPECT_EQ(per_element(dense(with(Sharding::zero1, precision))), formula(4, 12));
  EXPECT_EQ(per_element(dense(with(Sharding::zero2, precision))), formula(2, 14));
  EXPECT_EQ(per_element(dense(with(Sharding::zero3, precision))), formula(0, 16));
}

// Weights in fp8: a byte each, and another for the transposed copy of matrices.
TEST(MemoryState, Fp8WeightsAreStoredInBothLayouts) {
  Precision precision;
  precision.weights = precision.products.emplace(Dtype::fp8);
  const auto weights = [&](Sharding sharding, std::int64_t matrices) {
    return dense(with(sharding, precision), kElements, matrices).weights;
  };
  EXPECT_EQ(weights(Sharding::none, 0), kElements);
  EXPECT_EQ(weights(Sharding::zero1, kElements / 2), kElements * 3 / 2);
  EXPECT_EQ(weights(Sharding::zero3, kElements / 2), kElements / kRanks);
}

// Everything in fp32 has no second copy: 16, with the optimizer shared out 8 + 8/d.
TEST(MemoryState, FullPrecisionNeedsNoMasterWeights) {
  Precision precision;
  precision.weights = precision.activations = Dtype::fp32;
  EXPECT_EQ(per_element(dense(with(Sharding::none, precision))), 16);
  EXPECT_EQ(per_element(dense(with(Sharding::zero1, precision))), formula(8, 8));
  EXPECT_EQ(per_element(dense(with(Sharding::zero3, precision))), formula(0, 16));
}

TEST(MemoryState, MasterWeightsCanBeLeftOut) {
  Precision precision;
  precision.master_weights = false;
  EXPECT_EQ(per_element(dense(with(Sharding::none, precision))), 14);
  precision.optimizer = Dtype::bf16;
  EXPECT_EQ(per_element(dense(with(Sharding::none, precision))), 10);
}

// State in remote memory; experts that no other rank shares stay on the device.
TEST(MemoryState, ShardsMayLieElsewhere) {
  Spec spec = with(Sharding::zero3);
  spec.offload.weights = true;
  const ModelStateBytes bytes = dense(spec);
  EXPECT_EQ(bytes.weights, 0);
  EXPECT_EQ(bytes.gradients, 0);
  EXPECT_EQ(bytes.optimizer, 12 * kElements / kRanks);
  spec.model.moe.emplace();
  spec.parallel.ep = kRanks;
  Weights weights;
  weights.expert = kElements;
  EXPECT_EQ(ModelState(spec, Mesh(spec)).experts(weights).weights, 2 * kElements);
  spec.parallel.ep = 1;
  EXPECT_EQ(ModelState(spec, Mesh(spec)).experts(weights).weights, 0);
}

TEST(MemoryState, OptimizersKeepDifferentMoments) {
  const auto optimizer = [](OptimizerKind kind, std::int64_t matrices) {
    return dense(with(Sharding::none, {}, kind), kElements, matrices).optimizer / kElements;
  };
  EXPECT_EQ(optimizer(OptimizerKind::adam, 0), 4 + 8);
  EXPECT_EQ(optimizer(OptimizerKind::adamw, 0), 4 + 8);
  EXPECT_EQ(optimizer(OptimizerKind::sgd, 0), 4);
  EXPECT_EQ(optimizer(OptimizerKind::sgd_momentum, 0), 4 + 4);
  EXPECT_EQ(optimizer(OptimizerKind::muon, kElements), 4 + 4);  // one moment for matrices
  EXPECT_EQ(optimizer(OptimizerKind::muon, 0), 4 + 8);          // two for all else
  EXPECT_EQ(optimizer(OptimizerKind::muon, kElements / 2), 4 + 6);
}

TEST(MemoryState, ShardsAreRoundedUp) {
  EXPECT_EQ(dense(with(Sharding::zero3), 17).weights, 2 * 2);
  Precision precision;
  precision.weights = Dtype::fp4;
  EXPECT_EQ(dense(with(Sharding::none, precision), 17).weights, 9);
}

TEST(MemoryState, HybridShardingSharesOutAmongAFew) {
  Spec spec = with(Sharding::zero3);
  spec.parallel.shard_size = 4;
  EXPECT_EQ(per_element(dense(spec)), 18.0 / 4);
}

// Context-parallel ranks hold the same weights: they share, too.
TEST(MemoryState, ContextParallelRanksShare) {
  Spec spec = with(Sharding::zero1);
  spec.parallel.cp = 2;
  EXPECT_EQ(per_element(dense(spec)), 6 + 12.0 / (2 * kRanks));
}

// Megatron-Core: experts are shared out among those ranks that hold the same ones, tp × cp × dp /
// (etp × ep) of them.
TEST(MemoryState, ExpertsAreSharedOutAmongTheirOwnCopies) {
  Spec spec = with(Sharding::zero1);
  spec.model.moe.emplace();
  spec.parallel.ep = 8;
  const ModelState rule(spec, Mesh(spec));
  Weights weights;
  weights.dense = weights.expert = kElements;
  EXPECT_EQ(per_element(rule.dense(weights)), formula(6, 12));
  EXPECT_EQ(per_element(rule.experts(weights)), 6 + 12.0 * 8 / kRanks);

  spec.parallel.tp = 4;
  EXPECT_EQ(per_element(ModelState(spec, Mesh(spec)).experts(weights)), 6 + 12.0 * 8 / kRanks);
  spec.parallel.etp = 1;
  EXPECT_EQ(per_element(ModelState(spec, Mesh(spec)).experts(weights)),
            6 + 12.0 * 8 / (kRanks * 4));
}

// Several instances of Megatron-Core's optimizer: each shares out experts among its own ranks.
TEST(MemoryState, InstancesOfTheOptimizerShareOutExperts) {
  Spec spec = with(Sharding::zero1);
  spec.model.moe.emplace();
  spec.parallel.ep = 2;
  spec.parallel.shard_size = kRanks / 2;
  Weights weights;
  weights.expert = kElements;
  EXPECT_EQ(per_element(ModelState(spec, Mesh(spec)).experts(weights)), 6 + 12.0 * 2 / kRanks);
  spec.kernels.framework = Framework::megatron;
  EXPECT_EQ(per_element(ModelState(spec, Mesh(spec)).experts(weights)), 6 + 12.0 * 2 * 2 / kRanks);
}

TEST(MemoryState, MuonKnowsWhichMatricesAreExperts) {
  const Spec spec = with(Sharding::none, {}, OptimizerKind::muon);
  const ModelState rule(spec, Mesh(spec));
  Weights weights;
  weights.dense = 100;
  weights.expert = 1000;
  weights.matrices = 1080;
  EXPECT_EQ(rule.experts(weights).optimizer, 1000 * 8);
  EXPECT_EQ(rule.dense(weights).optimizer, 80 * 8 + 20 * 12);
}

}  // namespace
}  // namespace orrery::workload

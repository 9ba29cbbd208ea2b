// SPDX-License-Identifier: Apache-2.0
//
// What updating weights costs.
#include "orrery/workload/assembly/optimizer_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/assembly/data_parallel_testing.h"
#include "orrery/workload/assembly/unfused_optimizer.h"

namespace orrery::workload {
namespace {

// Adam reads gradient, two moments and the fp32 weights, writes all but the gradient, and the
// weights in bf16: 16 + 14 bytes.
TEST(Optimizer, OptimizersCostWhatTheyRead) {
  Spec spec;
  const auto cost = [&](OptimizerKind kind) {
    spec.optimizer.kind = kind;
    return optimizer_op(spec, 1000, 0, 4096);
  };
  EXPECT_EQ(cost(OptimizerKind::adam).vector, 12000);
  EXPECT_EQ(cost(OptimizerKind::adam).bytes, 30000);
  EXPECT_EQ(cost(OptimizerKind::adamw).vector, 13000);
  EXPECT_EQ(cost(OptimizerKind::sgd).vector, 2000);
  EXPECT_EQ(cost(OptimizerKind::sgd).bytes, 14000);
  EXPECT_EQ(cost(OptimizerKind::sgd_momentum).vector, 4000);
  EXPECT_EQ(cost(OptimizerKind::sgd_momentum).bytes, 22000);
  spec.precision.master_weights = false;
  EXPECT_EQ(cost(OptimizerKind::sgd).bytes, 8000);
}

// One 1024 × 4096 matrix: A = X·Xᵀ and B·X are 2·1024²·4096 each, A² is 2·1024³; five times.
TEST(Optimizer, MuonMultipliesMatrices) {
  Spec spec;
  spec.optimizer.kind = OptimizerKind::muon;
  spec.model.hidden = 1024;
  constexpr std::int64_t m = 1024, n = 4096;
  const Op op = optimizer_op(spec, m * n + 100, m * n, n);
  EXPECT_EQ(op.matmul, 5 * (4 * m * m * n + 2 * m * m * m));
  EXPECT_EQ(op.vector, 13 * 100 + 7 * m * n);
}

/// Compute of a rank's step by name, with its bytes.
std::vector<std::pair<std::string, std::int64_t>> step_of(const Spec& spec) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  const Program program = program_of(spec);
  for (const Body& body : program.bodies) {
    if (body.name != "step") continue;
    for (const Op& op : body.ops)
      if (op.kind == graph::NodeKind::comp) out.emplace_back(op.name, op.bytes);
  }
  return out;
}

// Bytes of a weight: a zero in 16 bits; read and written, divided by dp; 2 read and 4 written; read
// and written, unscaled; read for the norm; Adam's 28, of which 4 are a gradient's; 4 read and 2
// written.
TEST(Optimizer, MegatronOf2021StepsOperatorByOperator) {
  Spec spec = data_tests::small(4);
  spec.kernels.framework = Framework::megatron_2021;
  spec.optimizer.gradient_norm = true;
  spec.precision.weights = spec.precision.gradients = spec.precision.reduce = Dtype::fp16;
  constexpr std::int64_t n = data_tests::kWeights;
  using Step = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(step_of(spec), (Step{{"gradients.zero", 2 * n},
                                 {"gradients.average", 4 * n},
                                 {"gradients.widen", 6 * n},
                                 {"gradients.unscale", 8 * n},
                                 {"gradients.norm", 4 * n},
                                 {"optimizer", 28 * n},
                                 {"weights.narrow", 6 * n}}));
  Spec bf16 = spec;
  bf16.precision.weights = bf16.precision.gradients = bf16.precision.reduce = Dtype::bf16;
  bf16.parallel.dp = 1;
  bf16.optimizer.gradient_norm = false;
  EXPECT_EQ(step_of(bf16), (Step{{"gradients.zero", 2 * n},
                                 {"gradients.widen", 6 * n},
                                 {"optimizer", 28 * n},
                                 {"weights.narrow", 6 * n}}));
  // Gradients that are added up in fp32 need not become it.
  Spec wide = spec;
  wide.precision.gradients = wide.precision.reduce = Dtype::fp32;
  EXPECT_EQ(step_of(wide), (Step{{"gradients.zero", 4 * n},
                                 {"gradients.average", 8 * n},
                                 {"gradients.unscale", 8 * n},
                                 {"gradients.norm", 4 * n},
                                 {"optimizer", 28 * n},
                                 {"weights.narrow", 6 * n}}));
}

// Products in fp8: weights are cast once per step, in both layouts. Weights in fp8 are gathered as
// such and transposed. Row-wise scaling casts them for each product instead.
TEST(Optimizer, CastsOrTransposesWeights) {
  Spec spec = data_tests::small(4, Sharding::zero1);
  spec.kernels.framework = Framework::megatron;
  spec.precision.products = Dtype::fp8;
  const auto last = [&] { return step_of(spec).back(); };
  const auto gathered = [&] {
    return data_tests::bytes_of(nodes_of(program_of(spec), 0), graph::CollectiveType::all_gather,
                                "dp_shard");
  };
  const auto cast = last();
  EXPECT_EQ(cast.first, "weights.cast");
  const std::int64_t sent = gathered();
  spec.precision.weights = Dtype::fp8;
  EXPECT_EQ(last().first, "weights.turn");
  EXPECT_EQ(last().second, cast.second / 2);  // 1 + 1 bytes instead of 2 + 2
  EXPECT_EQ(gathered(), sent / 2);
  spec.precision.weights = Dtype::bf16;
  spec.precision.scaling = Scaling::rowwise;
  EXPECT_EQ(last().first, "optimizer");
}

TEST(Optimizer, OthersStepInOneKernel) {
  Spec spec = data_tests::small(4);
  spec.kernels.framework = Framework::megatron_2021;
  spec.precision.weights = spec.precision.gradients = spec.precision.reduce = Dtype::fp16;
  ASSERT_TRUE(is_optimizer_unfused(spec));
  const auto not_when = [&](auto&& change) {
    Spec other = spec;
    change(other);
    EXPECT_FALSE(is_optimizer_unfused(other));
    EXPECT_EQ(step_of(other).front().first, "optimizer");
  };
  not_when([](Spec& other) { other.kernels.framework = Framework::megatron; });
  not_when([](Spec& other) { other.precision.weights = Dtype::fp32; });
  not_when([](Spec& other) { other.precision.master_weights = false; });
  not_when([](Spec& other) { other.parallel.sharding = Sharding::zero1; });
}

}  // namespace
}  // namespace orrery::workload

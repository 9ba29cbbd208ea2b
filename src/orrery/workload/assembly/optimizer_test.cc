// SPDX-License-Identifier: Apache-2.0
//
// What updating weights costs.
#include <gtest/gtest.h>

#include "orrery/workload/assembly/step.h"

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

}  // namespace
}  // namespace orrery::workload

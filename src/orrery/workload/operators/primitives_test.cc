// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/primitives.h"

#include <gtest/gtest.h>

#include "orrery/workload/layers/mlp.h"
#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

/// One operator over 4 tokens.
class PrimitivesTest : public testing::Test {
 protected:
  template <class Write>
  LoweredPart lower(std::int64_t bytes_in, const Write& write) {
    const Scope scope(spec_, mesh_, Position{}, 4);
    Tape tape(scope, "part", true);
    write(tape, scope, tape.input("x", bytes_in));
    Result<LoweredPart> part = tape.finish({});
    EXPECT_TRUE(part.has_value());
    return *part;
  }

  Spec spec_;

 private:
  Mesh mesh_;
};

// Calculon's "Linear": 2mnk forward and for each gradient; a bias is an addition per element.
TEST_F(PrimitivesTest, MultipliesAndAdds) {
  Linear shape;
  shape.name = ORRERY_OP("linear");
  shape.tokens = 4;
  shape.in = 8;
  shape.outputs = {{"y", 10}, {"z", 6, true}};
  LoweredPart part = lower(4 * 8 * 2, [&](Tape& tape, const Scope& scope, Tensor x) {
    linear(tape, scope, shape, {x});
  });
  const std::int64_t flops = 2 * 4 * 8 * 16;
  ASSERT_EQ(part.forward.size(), 1U);
  EXPECT_EQ(part.forward[0].matmul, flops);
  EXPECT_EQ(part.forward[0].vector, 4 * 6);
  EXPECT_EQ(part.forward[0].bytes, 2 * (4 * 8 + 4 * 16 + 8 * 16));
  ASSERT_EQ(part.backward.size(), 2U);
  EXPECT_EQ(part.backward[0].phase, Phase::input_grad);
  EXPECT_EQ(part.backward[0].matmul, flops);
  EXPECT_EQ(part.backward[1].phase, Phase::weight_grad);
  EXPECT_EQ(part.backward[1].matmul, flops);
  EXPECT_EQ(part.backward[1].bytes, 2 * (4 * 8 + 4 * 16) + 4 * 8 * 16);  // gradients are fp32
  EXPECT_EQ(part.part.weights.dense, 8 * 16 + 6);
  EXPECT_EQ(part.part.weights.matrices, 8 * 16);

  // Pictures want no gradient; what four ranks do alike is needed once.
  shape.first_in_network = true;
  shape.duplicate_ranks = 4;
  part = lower(4 * 8 * 2,
               [&](Tape& tape, const Scope& scope, Tensor x) { linear(tape, scope, shape, {x}); });
  ASSERT_EQ(part.backward.size(), 1U);
  EXPECT_EQ(part.backward[0].repeated_flops, flops * 3 / 4);

  // The weights' gradient still reads what comes back in a narrow format.
  spec_.precision.products = Dtype::fp8;
  part = lower(4 * 8 * 2,
               [&](Tape& tape, const Scope& scope, Tensor x) { linear(tape, scope, shape, {x}); });
  ASSERT_EQ(part.backward.size(), 2U);
  EXPECT_EQ(part.backward[0].kernel.operation, graph::Operation::cast);
  EXPECT_EQ(part.backward[1].phase, Phase::weight_grad);
}

// Types have their size: fp8 weights and activations, bf16 gradients.
TEST_F(PrimitivesTest, MovesBytesOfItsTypes) {
  spec_.precision.weights = spec_.precision.activations = Dtype::fp8;
  spec_.precision.gradients = Dtype::bf16;
  Linear shape;
  shape.name = ORRERY_OP("linear");
  shape.tokens = 4;
  shape.in = 8;
  shape.outputs = {{"y", 16}};
  const LoweredPart part = lower(
      4 * 8, [&](Tape& tape, const Scope& scope, Tensor x) { linear(tape, scope, shape, {x}); });
  EXPECT_EQ(part.forward[0].bytes, 4 * 8 + 4 * 16 + 8 * 16);
  EXPECT_EQ(part.backward[1].bytes, 4 * 8 + 4 * 16 + 2 * 8 * 16);
}

// Calculon's "LayerNorm": 9 forward, 14 + 7 backward; a residual adds its gradient.
TEST_F(PrimitivesTest, Norms) {
  NormShape shape;
  shape.name = ORRERY_OP("norm");
  shape.rows = 4;
  shape.features = 8;
  const auto write = [&](Tape& tape, const Scope& scope, Tensor x) { norm(tape, scope, shape, x); };
  LoweredPart part = lower(64, write);
  EXPECT_EQ(part.forward[0].vector, 9 * 32);
  EXPECT_EQ(part.backward[0].vector, (14 + 7) * 32);
  EXPECT_EQ(part.part.weights.replicated, 16);
  EXPECT_EQ(part.part.weights.matrices, 0);
  spec_.model.norm = Norm::rmsnorm;
  shape.adds_to_residual = true;
  part = lower(64, write);
  EXPECT_EQ(part.forward[0].vector, 4 * 32);
  ASSERT_EQ(part.backward.size(), 1U);
  EXPECT_EQ(part.backward[0].vector, (9 + 1) * 32);
  EXPECT_EQ(part.part.weights.replicated, 8);
}

// Calculon's "DropOut": 1 and 1; its "ElementWise" sum: 1. The mask has a byte per element.
TEST_F(PrimitivesTest, AddsToTheResidualStream) {
  const auto write = [&](Tape& tape, const Scope& scope, Tensor x) {
    residual(tape, scope, ORRERY_OP("residual"), Group::out, 32, x, x);
  };
  LoweredPart part = lower(64, write);
  EXPECT_EQ(part.forward[0].vector, 32);
  EXPECT_TRUE(part.backward.empty());
  EXPECT_EQ(bytes_of(part.part.retained), 0);
  spec_.model.dropout = true;
  part = lower(64, write);
  ASSERT_EQ(part.forward.size(), 1U);
  EXPECT_EQ(part.forward[0].vector, 64);
  EXPECT_EQ(part.forward[0].bytes, 3 * 64 + 32);
  EXPECT_EQ(part.backward[0].vector, 32);
  EXPECT_EQ(bytes_of(part.part.retained), 32);
}

// Calculon's "GeLU": 8 and 13. A rectifier keeps its result only.
TEST_F(PrimitivesTest, Activates) {
  struct Case {
    Mlp mlp;
    std::int64_t forward, backward, in;
  };
  for (const Case& each : {Case{Mlp::gelu, 8, 13, 1}, Case{Mlp::relu, 1, 1, 1},
                           Case{Mlp::swiglu, 5, 10, 2}, Case{Mlp::geglu, 9, 23, 2}}) {
    spec_.model.mlp = each.mlp;
    const LoweredPart part = lower(
        each.in * 4 * 16 * 2,
        [](Tape& tape, const Scope& scope, Tensor up) { mlp_activation(tape, scope, 16, up); });
    EXPECT_EQ(part.forward[0].vector, each.forward * 64);
    EXPECT_EQ(part.backward[0].vector, each.backward * 64);
    EXPECT_EQ(part.forward[0].bytes, (each.in + 1) * 128);
    EXPECT_EQ(bytes_of(part.part.retained), each.in * 128);
  }
}

}  // namespace
}  // namespace orrery::workload

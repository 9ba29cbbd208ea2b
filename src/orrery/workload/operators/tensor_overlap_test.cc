// SPDX-License-Identifier: Apache-2.0
//
// Products in pieces that overlap the gathers before and the reductions after them.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/operators/primitives.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kRowTokens = 64, kWideIn = 32, kWideOut = 16, kCuts = 4;

class TensorOverlapTest : public testing::Test {
 protected:
  TensorOverlapTest() {
    spec_.parallel.tp = kCuts;
    spec_.parallel.sp = true;
    shape_.name = ORRERY_OP("linear");
    shape_.tokens = kRowTokens;
    shape_.in = kWideIn;
    shape_.outputs = {{"y", kWideOut}};
  }

  LoweredPart lower(bool columns) {
    const Scope scope(spec_, mesh_, Position{}, kRowTokens);
    Tape tape(scope, "part", true);
    const std::int64_t rows = columns ? kRowTokens / kCuts : kRowTokens;
    const Tensor x = tape.input("x", 2 * rows * kWideIn);
    if (columns)
      column_linear(tape, scope, shape_, ORRERY_COLUMN("linear"), x);
    else
      row_linear(tape, scope, shape_, ORRERY_ROW("linear"), {x});
    Result<LoweredPart> part = tape.finish({});
    EXPECT_TRUE(part.has_value());
    return *part;
  }

  Spec spec_;
  Linear shape_;

 private:
  Mesh mesh_;
};

std::int64_t products_in(const std::vector<Op>& ops, Phase phase) {
  std::int64_t sum = 0;
  for (const Op& op : ops) sum += op.phase == phase ? op.matmul : 0;
  return sum;
}

std::int64_t sent_in(const std::vector<Op>& ops, graph::CollectiveType type) {
  std::int64_t sum = 0;
  for (const Op& op : ops)
    if (op.op_class == OpClass::communication && op.collective == type) sum += op.size;
  return sum;
}

std::vector<Op> of_class(const std::vector<Op>& ops, OpClass op_class, Phase phase) {
  std::vector<Op> some;
  for (const Op& op : ops)
    if (op.op_class == op_class && op.phase == phase && (op.bytes > 0 || op.size > 0))
      some.push_back(op);
  return some;
}

// Whatever overlaps, the same is multiplied and sent.
TEST_F(TensorOverlapTest, ChangesNoSum) {
  for (const bool columns : {true, false}) {
    for (const Dtype products : {Dtype::bf16, Dtype::fp8}) {
      spec_.precision.products = products;
      spec_.parallel.tp_overlap = TensorOverlap::none;
      const LoweredPart plain = lower(columns);
      for (const auto overlap : {TensorOverlap::ring, TensorOverlap::pipelined}) {
        spec_.parallel.tp_overlap = overlap;
        const LoweredPart part = lower(columns);
        for (const Phase phase : {Phase::forward, Phase::input_grad, Phase::weight_grad}) {
          EXPECT_EQ(products_in(part.forward, phase), products_in(plain.forward, phase));
          EXPECT_EQ(products_in(part.backward, phase), products_in(plain.backward, phase));
        }
        using graph::CollectiveType;
        for (const auto type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
          EXPECT_EQ(sent_in(part.forward, type), sent_in(plain.forward, type));
          EXPECT_EQ(sent_in(part.backward, type), sent_in(plain.backward, type));
        }
        EXPECT_EQ(part.part.weights.dense, plain.part.weights.dense);
        EXPECT_EQ(bytes_of(part.part.retained), bytes_of(plain.part.retained));
      }
    }
  }
}

// The count leaves a rank's own piece for the end, although it comes first in reality: all pieces
// but one are multiplied during the gathering.
TEST_F(TensorOverlapTest, MultipliesWhatIsThereWhileTheRestIsGathered) {
  spec_.parallel.tp_overlap = TensorOverlap::ring;
  const std::vector<Op> products = of_class(lower(true).forward, OpClass::matmul, Phase::forward);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_FALSE(waits_for(products[0], stream::tp));
  EXPECT_EQ(products[0].kernel.launches, kCuts - 1);
  EXPECT_EQ(products[0].matmul, 2 * (kRowTokens - kRowTokens / kCuts) * kWideIn * kWideOut);
  EXPECT_TRUE(waits_for(products[1], stream::tp));
  EXPECT_EQ(products[1].matmul, 2 * (kRowTokens / kCuts) * kWideIn * kWideOut);
}

TEST_F(TensorOverlapTest, ReducesPieceByPiece) {
  for (const auto& [overlap, reductions] : {std::pair{TensorOverlap::none, 1U},
                                            {TensorOverlap::ring, 1U},
                                            {TensorOverlap::pipelined, 2U}}) {
    spec_.parallel.tp_overlap = overlap;
    const LoweredPart part = lower(false);
    EXPECT_EQ(of_class(part.forward, OpClass::communication, Phase::forward).size(), reductions);
    const std::vector<Op> products = of_class(part.forward, OpClass::matmul, Phase::forward);
    ASSERT_EQ(products.size(), overlap == TensorOverlap::none ? 1U : 2U);
    for (const Op& product : products) EXPECT_FALSE(waits_for(product, stream::tp));
  }
}

// Backward, the output's gradient is gathered as the input was forward.
TEST_F(TensorOverlapTest, GathersGradientsPieceByPiece) {
  spec_.parallel.tp_overlap = TensorOverlap::pipelined;
  const std::vector<Op> products =
      of_class(lower(false).backward, OpClass::matmul, Phase::input_grad);
  ASSERT_EQ(products.size(), 2U);
  EXPECT_FALSE(waits_for(products[0], stream::tp));
  EXPECT_TRUE(waits_for(products[1], stream::tp));
}

// Routers, heads and adapters are no modules of Transformer Engine; a token is not cut.
TEST_F(TensorOverlapTest, LeavesSmallAndForeignProductsWhole) {
  spec_.parallel.tp_overlap = TensorOverlap::ring;
  shape_.uses_product_format = false;
  EXPECT_EQ(of_class(lower(true).forward, OpClass::matmul, Phase::forward).size(), 1U);
  shape_.uses_product_format = true;
  shape_.tokens = kCuts - 1;
  EXPECT_EQ(of_class(lower(true).forward, OpClass::matmul, Phase::forward).size(), 1U);
}

// In fp8 half as much is gathered, each rank casts what it has, and the weights' gradient turns
// what was gathered.
TEST_F(TensorOverlapTest, GathersInTheFormatOfProducts) {
  spec_.precision.products = Dtype::fp8;
  spec_.precision.scaling = Scaling::delayed;
  const LoweredPart columns = lower(true);
  const std::int64_t share = kRowTokens / kCuts * kWideIn;
  EXPECT_EQ(sent_in(columns.forward, graph::CollectiveType::all_gather), share);
  EXPECT_EQ(sent_in(columns.backward, graph::CollectiveType::all_gather), share);
  const std::vector<Op> casts = of_class(columns.forward, OpClass::vector, Phase::forward);
  ASSERT_EQ(casts.size(), 1U);
  EXPECT_EQ(casts[0].bytes, 3 * share);
  EXPECT_EQ(std::string_view(casts[0].name), "linear.cast");
  const std::vector<Op> turns = of_class(columns.backward, OpClass::vector, Phase::weight_grad);
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(std::string_view(turns[0].name), "linear.turn");
  EXPECT_EQ(turns[0].bytes, 2 * kRowTokens * kWideIn);
  const LoweredPart rows = lower(false);
  EXPECT_EQ(sent_in(rows.forward, graph::CollectiveType::reduce_scatter),
            2 * kRowTokens * kWideOut);
  EXPECT_EQ(sent_in(rows.backward, graph::CollectiveType::all_gather),
            kRowTokens / kCuts * kWideOut);
}

}  // namespace
}  // namespace orrery::workload

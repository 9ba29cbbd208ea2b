// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/operators/gradients.h"

#include <gtest/gtest.h>

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Pass;
using Passes = std::vector<Pass>;

Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Kernel kernel;
  kernel.operation = graph::Operation::gemm;
  kernel.sizes = {m, n, k};
  return kernel;
}

Passes passes(std::string_view node, const std::vector<Kernel>& products,
              const std::vector<Kernel>& forward) {
  return gradient_passes(*product_gradients_of(node), products, forward);
}

TEST(Gradients, NodesOfAutogradAreKnownByName) {
  EXPECT_TRUE(is_autograd_node("ReluBackward0"));
  EXPECT_FALSE(is_autograd_node("CompiledFunctionBackward"));  // runs whatever was compiled
  EXPECT_FALSE(is_autograd_node("CheckpointFunctionBackward"));
  EXPECT_FALSE(is_autograd_node("autograd::engine::evaluate_function: ReluBackward0"));
  EXPECT_FALSE(is_autograd_node("7"));
  EXPECT_FALSE(is_autograd_node(""));
  EXPECT_TRUE(product_gradients_of("AddmmBackward0"));
  EXPECT_TRUE(product_gradients_of("BmmBackward0"));
  EXPECT_FALSE(product_gradients_of("ReluBackward0"));
}

// A layer of 512 tokens, 1280 in, 3840 out.
TEST(Gradients, AreToldByTheForwardSizes) {
  const Kernel forward = gemm(512, 3840, 1280);
  const Kernel input = gemm(512, 1280, 3840), weight = gemm(3840, 1280, 512);
  const Kernel transposed = gemm(1280, 3840, 512);
  const Passes both = {Pass::input_grad, Pass::weight_grad};
  EXPECT_EQ(passes("AddmmBackward0", {input, weight}, {forward}), both);
  EXPECT_EQ(passes("AddmmBackward0", {input, transposed}, {forward}), both);
  EXPECT_EQ(passes("AddmmBackward0", {weight}, {forward}), Passes{Pass::weight_grad});
  EXPECT_EQ(passes("AddmmBackward0", {input}, {forward}), Passes{Pass::input_grad});
  EXPECT_EQ(passes("MmBackward0", {weight, input}, {forward}),
            (Passes{Pass::weight_grad, Pass::input_grad}));
  EXPECT_EQ(passes("AddmmBackward0", {gemm(1, 2, 3)}, {forward}), Passes{Pass::forward});
  // Two that have one sequence number and say the same, or not.
  EXPECT_EQ(passes("AddmmBackward0", {input, weight}, {gemm(1, 2, 3), forward}), both);
  EXPECT_EQ(passes("AddmmBackward0", {gemm(8, 4, 2)}, {gemm(8, 2, 4), gemm(2, 8, 4)}),
            Passes{Pass::forward});
}

// 1280 tokens, 1280 in: both gradients have the same sizes. Then it is the order of the factors'
// names: mat1, mat2 of addmm; mat2, self of mm.
TEST(Gradients, OfEqualSizesAreToldByTheirOrder) {
  const Kernel square = gemm(64, 64, 64);
  EXPECT_EQ(passes("AddmmBackward0", {square, square}, {square}),
            (Passes{Pass::input_grad, Pass::weight_grad}));
  EXPECT_EQ(passes("MmBackward0", {square, square}, {square}),
            (Passes{Pass::weight_grad, Pass::input_grad}));
  EXPECT_EQ(passes("MmBackward0", {square}, {square}), Passes{Pass::forward});
}

TEST(Gradients, OfAnUnknownForwardAreToldAsAPair) {
  const Kernel input = gemm(512, 1280, 3840), weight = gemm(3840, 1280, 512);
  EXPECT_EQ(passes("AddmmBackward0", {input, weight}, {}),
            (Passes{Pass::input_grad, Pass::weight_grad}));
  EXPECT_EQ(passes("MmBackward0", {weight, input}, {}),
            (Passes{Pass::weight_grad, Pass::input_grad}));
  EXPECT_EQ(passes("AddmmBackward0", {input}, {}), Passes{Pass::forward});
  EXPECT_EQ(passes("AddmmBackward0", {gemm(1, 2, 3), gemm(4, 5, 6)}, {}),
            (Passes{Pass::forward, Pass::forward}));
}

TEST(Gradients, HaveTheTraitsOfGeneratedOnes) {
  Kernel kernel = gemm(3840, 1280, 512);
  make_gradient(kernel, Pass::weight_grad, false);
  EXPECT_EQ(to_text(kernel),
            "gemm weight_grad unsaid,unsaid>unsaid m=3840 n=1280 k=512 transposed_a");
  kernel.traits = graph::kTransposedB | graph::kBias;
  make_gradient(kernel, Pass::input_grad, false);
  EXPECT_EQ(kernel.traits, 0);
  make_gradient(kernel, Pass::input_grad, true);
  EXPECT_EQ(kernel.traits, graph::kTransposedB);
}

}  // namespace
}  // namespace orrery::trace::operators

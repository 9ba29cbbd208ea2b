// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/costs.h"

#include <gtest/gtest.h>

#include "orrery/hlo/lower/hlo_testing.h"

namespace orrery::hlo {
namespace {

using testing::count;
using testing::function;

/// window_pairs by trying all pairs of an output and an element of the window.
std::int64_t tried(const WindowDim& dim, std::int64_t outputs) {
  std::int64_t pairs = 0;
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t k = 0; k < dim.size; ++k)
      if ((o * dim.stride + k * dim.window_dilation - dim.pad_low) % dim.base_dilation == 0)
        ++pairs;
  return pairs;
}

TEST(Costs, DoNotCountZerosBetweenElements) {
  for (const std::int64_t base : {1, 2, 3, 4})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t dilation : {1, 2, 5})
        for (const std::int64_t pad : {-3, -1, 0, 1, 2})
          for (const std::int64_t size : {1, 3, 7})
            for (const std::int64_t outputs : {1, 4, 13}) {
              const WindowDim dim{size, stride, pad, pad, base, dilation};
              EXPECT_EQ(window_pairs(dim, outputs), tried(dim, outputs))
                  << base << ' ' << stride << ' ' << dilation << ' ' << pad << ' ' << size << ' '
                  << outputs;
            }
}

/// A convolution of 8 images of 16 x 16 pixels with stride 2, 3 x 3 pixels, 4 to 6 channels, and
/// both of its gradients: all three have the same FLOPs.
TEST(Costs, GradientsOfAConvolutionCountLikeItself) {
  constexpr std::int64_t kFlops = 2 * 8 * 8 * 8 * 6 * 9 * 4;
  const ProgramCount forward = count(function(
      "%x: tensor<8x16x16x4xf32>, %w: tensor<3x3x4x6xf32>", "tensor<8x8x8x6xf32>",
      "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, "
      "feature_group_count = 1 : i64} : (tensor<8x16x16x4xf32>, tensor<3x3x4x6xf32>) -> "
      "tensor<8x8x8x6xf32>\nreturn %0 : tensor<8x8x8x6xf32>\n"));
  const ProgramCount input = count(function(
      "%g: tensor<8x8x8x6xf32>, %w: tensor<3x3x4x6xf32>", "tensor<8x16x16x4xf32>",
      "%0 = stablehlo.convolution(%g, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], "
      "window = {pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2]} : (tensor<8x8x8x6xf32>, "
      "tensor<3x3x4x6xf32>) -> tensor<8x16x16x4xf32>\nreturn %0 : tensor<8x16x16x4xf32>\n"));
  const ProgramCount filter = count(function(
      "%x: tensor<8x16x16x4xf32>, %g: tensor<8x8x8x6xf32>", "tensor<3x3x4x6xf32>",
      "%0 = \"stablehlo.convolution\"(%x, %g) {dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i,"
      " 0, 1, o]->[0, 1, b, f]>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>, rhs_dilation "
      "= array<i64: 2, 2>, window_strides = array<i64: 1, 1>} : (tensor<8x16x16x4xf32>, "
      "tensor<8x8x8x6xf32>) -> tensor<3x3x4x6xf32>\nreturn %0 : tensor<3x3x4x6xf32>\n"));
  EXPECT_EQ(forward.product_flop, kFlops);
  EXPECT_EQ(input.product_flop, kFlops);
  EXPECT_EQ(filter.product_flop, kFlops);
  ASSERT_EQ(filter.by_operation.size(), 1u);
  EXPECT_EQ(forward.by_operation[0].pass, graph::Pass::forward);
  EXPECT_EQ(input.by_operation[0].pass, graph::Pass::input_grad);
  EXPECT_EQ(filter.by_operation[0].pass, graph::Pass::weight_grad);
}

}  // namespace
}  // namespace orrery::hlo

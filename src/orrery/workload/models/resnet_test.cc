// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

Spec resnet(std::vector<std::int64_t> blocks, bool bottleneck, std::int64_t pictures = 1) {
  Spec spec;
  spec.model.kind = ModelKind::resnet;
  spec.model.vision = Vision{.blocks = std::move(blocks), .bottleneck = bottleneck};
  spec.batch.micro = pictures;
  return spec;
}

LoweredModel lower_resnet(const Spec& spec) {
  auto model = lower(spec, Mesh(spec), {});
  if (!model) ADD_FAILURE() << to_string(model.error());
  return model ? *model : LoweredModel{};
}

TEST(ResNet, MultiplicationsAndWeightsArePublishedOnes) {
  // torchvision's weight pages: "GFLOPS" (multiply-adds of convolutions and the last matrix) and
  // num_params.
  struct PublishedResnet {
    std::vector<std::int64_t> blocks;
    bool bottleneck;
    double giga;
    std::int64_t weights;
  };
  for (const PublishedResnet& model : {PublishedResnet{{2, 2, 2, 2}, false, 1.814, 11689512},
                                       PublishedResnet{{3, 4, 6, 3}, false, 3.664, 21797672},
                                       PublishedResnet{{3, 4, 6, 3}, true, 4.089, 25557032},
                                       PublishedResnet{{3, 4, 23, 3}, true, 7.801, 44549160},
                                       PublishedResnet{{3, 8, 36, 3}, true, 11.514, 60192808}}) {
    const Spec spec = resnet(model.blocks, model.bottleneck);
    const LoweredModel lowered = lower_resnet(spec);
    const Sums sums = sums_of(lowered);
    EXPECT_NEAR(static_cast<double>(sums.forward) / 2e9, model.giga, 0.0006);
    EXPECT_EQ(sums.weights, model.weights);
    EXPECT_EQ(sums.weights, count_parameters(spec.model).total);
    // Pictures want no gradient.
    EXPECT_EQ(sums.input_grad, sums.forward - only_op(lowered.parts[0].forward, "stem").matmul);
    EXPECT_TRUE(ops_named(lowered.parts[0].backward, "stem.dgrad").empty());
    EXPECT_EQ(sums.weight_grad, sums.forward);
  }
}

TEST(ResNet, ConvolutionsOfTheFirstBlocks) {
  // He et al. 2016, table 1: 7x7, 64, stride 2 on 224 pixels; then 56 pixels.
  const LoweredModel model = lower_resnet(resnet({3, 4, 6, 3}, true, 2));
  EXPECT_EQ(only_op(model.parts[0].forward, "stem").matmul, 2LL * 2 * 112 * 112 * 64 * 3 * 49);
  const std::vector<Op>& first = model.parts[1].forward;
  EXPECT_EQ(only_op(first, "conv1").matmul, 2LL * 2 * 56 * 56 * 64 * 64);
  EXPECT_EQ(only_op(first, "conv2").matmul, 2LL * 2 * 56 * 56 * 64 * 64 * 9);
  EXPECT_EQ(only_op(first, "conv3").matmul, 2LL * 2 * 56 * 56 * 64 * 256);
  EXPECT_EQ(only_op(first, "shortcut").matmul, 2LL * 2 * 56 * 56 * 64 * 256);
  // The next stage halves the side in its 3x3 convolution.
  const std::vector<Op>& second = model.parts[3].forward;
  EXPECT_EQ(only_op(second, "conv1").matmul, 2LL * 2 * 56 * 56 * 256 * 128);
  EXPECT_EQ(only_op(second, "conv2").matmul, 2LL * 2 * 28 * 28 * 128 * 128 * 9);
  EXPECT_EQ(only_op(second, "conv2").bytes,
            2 * (2 * 128 * (56 * 56 + 28 * 28) + 128 * 128 * 9));  // bf16
}

TEST(ResNet, EveryBlockIsALayer) {
  const LoweredModel model = lower_resnet(resnet({3, 4, 6, 3}, true));
  std::int64_t layers = 0;
  for (const PartRun& run : model.order) {
    if (!model.parts[run.part].part.is_layer) {
      EXPECT_EQ(run.layer, -1);
      continue;
    }
    EXPECT_EQ(run.layer, layers);
    layers += run.count;
  }
  EXPECT_EQ(layers, 3 + 4 + 6 + 3);
  EXPECT_EQ(model.order.size(), 2U + 2 * 4);
}

TEST(ResNet, SmallBlocksKeepTheirShapeInTheFirstStage) {
  const LoweredModel model = lower_resnet(resnet({2, 2, 2, 2}, false));
  EXPECT_TRUE(ops_named(model.parts[1].forward, "shortcut").empty());
  EXPECT_EQ(ops_named(model.parts[3].forward, "shortcut").size(), 1U);
}

TEST(ResNet, ABlockKeepsInputsOfConvolutionsAndNorms) {
  // Second block of the first stage, 56 x 56: its input of 256 channels, two 64s behind
  // convolutions and two behind norms, 256 behind the last convolution; statistics in fp32.
  Spec spec = resnet({3, 4, 6, 3}, true, 4);
  const std::int64_t pixels = 4LL * 56 * 56;
  EXPECT_EQ(sums_of(lower_resnet(spec).parts[2]).retained,
            2 * pixels * (256 + 4 * 64 + 256) + 8 * (64 + 64 + 256));
  spec.recompute.kind = RecomputeKind::full;
  const Sums full = sums_of(lower_resnet(spec).parts[2]);
  EXPECT_EQ(full.retained, 2 * pixels * 256);
  EXPECT_EQ(full.recompute, full.forward);
  spec.recompute.kind = RecomputeKind::ops;
  spec.recompute.ops = {"norm"};
  EXPECT_EQ(sums_of(lower_resnet(spec).parts[2]).retained, 2 * pixels * (256 + 2 * 64 + 256));
}

TEST(ResNet, UnfusedKernelsMoveMoreBytes) {
  Spec spec = resnet({2, 2, 2, 2}, false);
  const LoweredModel fused = lower_resnet(spec);
  spec.kernels.fused = false;
  const LoweredModel apart = lower_resnet(spec);
  EXPECT_LT(fused.parts[1].forward.size(), apart.parts[1].forward.size());
  const std::int64_t size = 2 * 64 * 56 * 56;
  EXPECT_EQ(only_op(fused.parts[1].forward, "conv1.norm").bytes, 2 * size);
  EXPECT_EQ(only_op(apart.parts[1].forward, "conv1.norm").bytes, 2 * size);
  EXPECT_EQ(ops_named(apart.parts[1].forward, "relu").front().bytes, 2 * size);
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

Spec transformer(ModelKind kind, std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                 const Vision& vision) {
  Spec spec;
  spec.model.kind = kind;
  spec.model.layers = layers;
  spec.model.hidden = hidden;
  spec.model.heads = heads;
  spec.model.vision = vision;
  return spec;
}
Spec vit_b16() { return transformer(ModelKind::vit, 12, 768, 12, Vision{}); }
Spec dit_xl2() {
  return transformer(ModelKind::dit, 28, 1152, 16, Vision{.image = 32, .patch = 2, .channels = 4});
}

LoweredModel lower_pictures(const Spec& spec) {
  auto model = lower(spec, Mesh(spec), {});
  if (!model) ADD_FAILURE() << to_string(model.error());
  return model ? *model : LoweredModel{};
}

Spec cut(Spec spec, std::int64_t tp, bool sp) {
  spec.parallel.tp = tp;
  spec.parallel.sp = sp;
  return spec;
}

/// FLOPs of the matrices whose inputs need no gradient: images and timesteps.
std::int64_t of_first_matrices(const LoweredModel& model) {
  std::int64_t sum = 0;
  for (const LoweredPart& part : model.parts)
    for (const Op& op : part.forward)
      if (op.name == std::string_view("patches") || op.name == std::string_view("time_in"))
        sum += op.matmul;
  return sum;
}

TEST(Vit, MultiplicationsArePublishedOnes) {
  // Products of 196 patches and a class token, of the class token's scores: 17,563,828,224
  // multiply-adds; torchvision says 17.564 G for vit_b_16. The often quoted 17.58 G adds 5 for
  // each element of 25 layer norms, as fvcore counts them.
  const LoweredModel base = lower_pictures(vit_b16());
  const Sums sums = sums_of(base);
  EXPECT_EQ(sums.forward, 2 * 17'563'828'224);
  EXPECT_NEAR(static_cast<double>(sums.forward + 2 * 25 * 5 * 197 * 768) / 2e9, 17.58, 0.005);
  EXPECT_EQ(of_first_matrices(base), 2 * 196 * 768 * 768);
  EXPECT_EQ(sums.backward(), 2 * sums.forward - of_first_matrices(base));
  // torchvision: vit_l_16 61.555, vit_h_14 167.295 (at 224).
  Spec large = transformer(ModelKind::vit, 24, 1024, 16, Vision{});
  EXPECT_NEAR(static_cast<double>(sums_of(lower_pictures(large)).forward) / 2e9, 61.555, 0.0006);
  large = transformer(ModelKind::vit, 32, 1280, 16, Vision{.patch = 14});
  EXPECT_NEAR(static_cast<double>(sums_of(lower_pictures(large)).forward) / 2e9, 167.295, 0.0006);
}

TEST(Vit, WeightsArePublishedOnes) {
  // torchvision, vit_b_16: 86,567,656.
  EXPECT_EQ(sums_of(lower_pictures(vit_b16())).weights, 86'567'656);
  EXPECT_EQ(count_parameters(vit_b16().model).total, 86'567'656);
  Spec spec = vit_b16();
  spec.model.vision->class_token = false;
  spec.model.vision->classes = 0;
  spec.model.positions = Positions::none;
  spec.model.final_norm = false;
  EXPECT_EQ(sums_of(lower_pictures(spec)).weights, count_parameters(spec.model).total);
}

TEST(Dit, MultiplicationsArePublishedOnes) {
  // Peebles and Xie, table 4 (256 x 256, latents of 32 x 32): 118.64 Gflops, which are
  // multiply-adds; their count has 0.02 more, the size of one operation for each element of 57
  // norms.
  const LoweredModel largest = lower_pictures(dit_xl2());
  const Sums sums = sums_of(largest);
  EXPECT_EQ(sums.forward, 2 * 118'621'421'568);
  EXPECT_NEAR(static_cast<double>(sums.forward) / 2e9, 118.64, 0.02);
  EXPECT_EQ(of_first_matrices(largest), 2 * (256 * 16 * 1152 + 256 * 1152));
  EXPECT_EQ(sums.backward(), 2 * sums.forward - of_first_matrices(largest));
  // The others of table 4: S/2 6.06, B/2 23.01, L/2 80.71; XL/4 29.05, XL/8 7.39.
  const auto giga = [](std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                       std::int64_t patch) {
    const Vision vision{.image = 32, .patch = patch, .channels = 4};
    const Spec spec = transformer(ModelKind::dit, layers, hidden, heads, vision);
    return static_cast<double>(sums_of(lower_pictures(spec)).forward) / 2e9;
  };
  EXPECT_NEAR(giga(12, 384, 6, 2), 6.06, 0.01);
  EXPECT_NEAR(giga(12, 768, 12, 2), 23.01, 0.01);
  EXPECT_NEAR(giga(24, 1024, 16, 2), 80.71, 0.02);
  EXPECT_NEAR(giga(28, 1152, 16, 4), 29.05, 0.01);
  EXPECT_NEAR(giga(28, 1152, 16, 8), 7.39, 0.01);
}

TEST(Dit, WeightsArePublishedOnes) {
  // Table 4: 675 M. The released checkpoint has 675,129,632 with its fixed table of positions,
  // 256 x 1152.
  EXPECT_EQ(sums_of(lower_pictures(dit_xl2())).weights, 675'129'632 - 256 * 1152);
  EXPECT_EQ(count_parameters(dit_xl2().model).total, 675'129'632 - 256 * 1152);
}

TEST(Dit, ModulationIsSixMatricesPerPicture) {
  Spec spec = dit_xl2();
  spec.batch.micro = 3;
  const LoweredModel model = lower_pictures(spec);
  EXPECT_EQ(only_op(model.parts[1].forward, "modulation").matmul, 2LL * 3 * 6 * 1152 * 1152);
  EXPECT_EQ(only_op(model.parts[2].forward, "modulation").matmul, 2LL * 3 * 2 * 1152 * 1152);
  // The condition goes from stage to stage with the tokens.
  EXPECT_EQ(model.parts[1].part.boundary, 2 * 3 * (256 + 1) * 1152);
}

TEST(Vision, ProductsAndWeightsOfAllRanksDoNotDependOnTensorParallelism) {
  for (Spec spec : {vit_b16(), dit_xl2()}) {
    spec.batch.micro = 8;
    const LoweredModel whole = lower_pictures(spec);
    const Sums sums = sums_of(whole);
    for (const auto& [tp, sp] :
         {std::tuple{2, false}, std::tuple{2, true}, std::tuple{4, false}, std::tuple{4, true}}) {
      const LoweredModel model = lower_pictures(cut(spec, tp, sp));
      EXPECT_EQ(sums_of(model).forward * tp, sums.forward) << tp << sp;
      EXPECT_EQ(sums_of(model).backward() * tp, 2 * sums.forward - of_first_matrices(whole))
          << tp << sp;
      std::int64_t weights = 0;
      for (const PartRun& run : model.order) {
        const Weights& part = model.parts[run.part].part.weights;
        weights += (part.dense * tp + part.replicated) * run.count;
      }
      EXPECT_EQ(weights, sums.weights) << tp << sp;
    }
  }
}

TEST(Vision, WhatIsCommunicatedHasArrivedInTime) {
  for (Spec spec : {vit_b16(), dit_xl2()}) {
    for (const auto& [tp, sp] : {std::tuple{1, false}, std::tuple{4, false}, std::tuple{4, true}}) {
      spec = cut(spec, tp, sp);
      spec.batch.micro = 4;
      for (const LoweredPart& part : lower_pictures(spec).parts) {
        expect_whole(part.forward, part.part.name + " forward");
        expect_whole(part.backward, part.part.name + " backward");
      }
    }
  }
}

// Frameworks cut images into patches by a convolution, whose input needs no gradient, or by a
// product. Both multiply the same.
TEST(Vision, FrameworksConvolvePatches) {
  using graph::Operation;
  for (const Spec& model : {vit_b16(), dit_xl2()}) {
    for (const auto& [tp, sp] :
         {std::tuple{1, false}, std::tuple{4, false}, std::tuple{4, true}, std::tuple{3, true}}) {
      Spec spec = cut(model, tp, sp);
      spec.batch.micro = 5;
      const LoweredPart product = lower_pictures(spec).parts[0];
      for (const Framework framework :
           {Framework::pytorch, Framework::deepspeed, Framework::torchtitan_compiled,
            Framework::megatron, Framework::megatron_2021}) {
        spec.kernels.framework = framework;
        spec.precision.products = Dtype::fp8;
        const LoweredPart part = lower_pictures(spec).parts[0];
        const Op forward = only_op(part.forward, "patches");
        const Op weights = only_op(part.backward, "patches.wgrad");
        EXPECT_EQ(forward.matmul, only_op(product.forward, "patches").matmul);
        EXPECT_EQ(weights.matmul, only_op(product.backward, "patches.wgrad").matmul);
        EXPECT_EQ(part.part.weights.dense, product.part.weights.dense);
        const bool convolves = framework != Framework::megatron_2021;
        EXPECT_EQ(forward.kernel.operation, convolves ? Operation::convolution : Operation::gemm);
        EXPECT_TRUE(ops_named(part.backward, "patches.dgrad").empty());
        if (!convolves) continue;
        EXPECT_EQ(weights.kernel.operation, Operation::convolution);
        EXPECT_EQ(weights.kernel.pass, graph::Pass::weight_grad);
        EXPECT_EQ(weights.kernel.sizes, forward.kernel.sizes);
        const auto& s = forward.kernel.sizes;
        EXPECT_EQ(2 * s[0] * s[1] * s[2] * s[3] * s[4] * s[5] * s[6], forward.matmul);
        EXPECT_EQ(s[7], model.model.vision->patch);
        EXPECT_EQ(graph::bits_of(forward.kernel.a), 16) << "no library convolves 8 bits here";
      }
    }
  }
}

TEST(Vision, ClassifierAndModulationAreCutOverTensorParallelRanks) {
  const std::int64_t micro = 8;
  Spec spec = vit_b16();
  spec.batch.micro = micro;
  const LoweredModel vit = lower_pictures(cut(spec, 4, true));
  // The class token of each picture, for all; three sums for the loss.
  EXPECT_EQ(only_op(vit.parts[2].forward, "pool.reduce").size, 2 * micro * 768);
  EXPECT_EQ(only_op(vit.parts[2].forward, "loss.sum").size, 4 * micro);
  spec = dit_xl2();
  spec.batch.micro = micro;
  const LoweredModel dit = lower_pictures(cut(spec, 4, true));
  const std::int64_t all = 2 * micro * 6 * 1152;
  EXPECT_EQ(only_op(dit.parts[1].forward, "columns.gather").size, all / 4);
  EXPECT_EQ(only_op(dit.parts[1].backward, "columns.gather.dgrad").size, all);
  // Without sequence parallelism every rank has the whole gradient.
  EXPECT_TRUE(
      ops_named(lower_pictures(cut(spec, 4, false)).parts[1].backward, "columns.gather.dgrad")
          .empty());
}

TEST(Vision, RecomputationKeepsLessAndRepeatsWhatItSays) {
  for (Spec spec : {vit_b16(), dit_xl2()}) {
    spec.kernels.flash_attention = false;
    const LoweredPart all = lower_pictures(spec).parts[1];
    EXPECT_EQ(sums_of(all).recompute, 0);
    const std::int64_t tokens = spec.model.kind == ModelKind::vit ? 197 : 256;
    const std::int64_t hidden = spec.model.hidden;

    spec.recompute.kind = RecomputeKind::selective;
    const Sums selective = sums_of(lower_pictures(spec).parts[1]);
    EXPECT_EQ(selective.recompute, 4 * tokens * tokens * hidden);
    EXPECT_LT(selective.retained, sums_of(all).retained);

    spec.recompute.kind = RecomputeKind::full;
    const Sums full = sums_of(lower_pictures(spec).parts[1]);
    EXPECT_EQ(full.recompute, full.forward);
    EXPECT_EQ(full.retained, 2 * tokens * hidden);

    spec.recompute.kind = RecomputeKind::ops;
    spec.recompute.ops = {"mlp_up", "activation"};
    const Sums some = sums_of(lower_pictures(spec).parts[1]);
    EXPECT_EQ(some.recompute, 2 * tokens * hidden * 4 * hidden);
    EXPECT_EQ(some.retained, sums_of(all).retained - 2 * 2 * tokens * 4 * hidden);
    for (const Sums& each : {selective, full, some}) EXPECT_EQ(each.backward(), 2 * each.forward);
  }
}

}  // namespace
}  // namespace orrery::workload

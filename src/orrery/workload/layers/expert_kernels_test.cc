// SPDX-License-Identifier: Apache-2.0
//
// What the host launches for a layer of experts, and which kernels surround them.
#include "orrery/workload/layers/expert_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

/// 128 experts on 8 ranks with Megatron, and one sequence of 4096 tokens.
Spec routed_job() {
  Spec spec;
  spec.model.hidden = 2880;
  spec.model.ffn = 2880;
  spec.model.heads = 64;
  spec.model.mlp = Mlp::swiglu;
  spec.model.moe = Moe{.experts = 128, .top_k = 4};
  spec.parallel.dp = spec.parallel.ep = 8;
  spec.batch.seq = 4096;
  spec.batch.global = 8;
  spec.kernels.framework = Framework::megatron;
  return spec;
}
constexpr std::int64_t kRoutedCopies = 4 * 4096;
constexpr std::uint32_t kLocalExperts = 128 / 8;

Spec routed_fp8(Scaling scaling, const char* release) {
  Spec spec = routed_job();
  spec.precision.products = Dtype::fp8;
  spec.precision.scaling = scaling;
  spec.kernels.release = release;
  return spec;
}

LoweredPart routed_block(const Spec& spec) {
  const Mesh mesh(spec);
  const Scope scope(spec, mesh, {}, spec.batch.seq);
  Tape tape(scope, "layer", true);
  const Tensor x = tape.input("x", scope.activation(scope.shard * spec.model.hidden));
  auto part = tape.finish({moe(tape, scope, x)});
  if (!part) ADD_FAILURE() << to_string(part.error());
  return part ? *part : LoweredPart{};
}

bool has_named_op(const std::vector<Op>& ops, std::string_view name) {
  return std::any_of(ops.begin(), ops.end(), [&](const Op& op) { return op.name == name; });
}

std::uint32_t host_launches_of(const std::vector<Op>& ops) {
  std::uint32_t sum = 0;
  for (const Op& op : ops)
    if (op.kind == graph::NodeKind::comp)
      sum += op.kernel.framework_launches() + op.kernel.looped_launches;
  return sum;
}

// The device runs one grouped product; the host launches one for each expert.
TEST(ExpertKernels, HostsLaunchProductsOfEachExpert) {
  const LoweredPart part = routed_block(routed_job());
  for (const char* name : {"experts.up", "experts.down"}) {
    const Op op = only_op(part.forward, name);
    EXPECT_EQ(op.kernel.launches, 1u);
    EXPECT_EQ(op.kernel.host_launches, kLocalExperts);
    EXPECT_EQ(op.kernel.looped_launches, 0u) << "16 bits";
  }
  EXPECT_EQ(only_op(part.backward, "experts.up.wgrad").kernel.host_launches, kLocalExperts);
  EXPECT_GT(host_launches_of(part.backward), 4 * kLocalExperts);
  Spec one = routed_job();
  one.kernels.expert_launches = false;
  const LoweredPart less = routed_block(one);
  EXPECT_EQ(only_op(less.forward, "experts.up").kernel.host_launches, 0u);
  EXPECT_LT(host_launches_of(less.forward), host_launches_of(part.forward) - kLocalExperts);
}

TEST(ExpertKernels, FewTokensReachFewExperts) {
  Spec spec = routed_job();
  spec.batch.seq = 2;  // 8 copies on a rank
  EXPECT_EQ(only_op(routed_block(spec).forward, "experts.up").kernel.host_launches, 8u);
}

// Transformer Engine casts one expert after another, except with delayed scaling.
TEST(ExpertKernels, CastsAreLoopsOverExperts) {
  for (const auto& [scaling, looped] :
       {std::pair{Scaling::delayed, 0u}, std::pair{Scaling::tensor, 4 * kLocalExperts},
        std::pair{Scaling::blockwise, kLocalExperts}, std::pair{Scaling::mx, kLocalExperts}}) {
    const LoweredPart part = routed_block(routed_fp8(scaling, "25.11"));
    const graph::Kernel cast = only_op(part.backward, "experts.up.cast.dgrad").kernel;
    EXPECT_EQ(cast.looped_launches, looped);
    EXPECT_EQ(cast.framework_launches(), 1u);
    const graph::Kernel product = only_op(part.forward, "experts.up").kernel;
    EXPECT_EQ(product.looped_launches, scaling == Scaling::mx ? 2u : 0u) << "reordered scales";
  }
  // Nothing of it where one kernel computes all experts.
  const LoweredPart fused = routed_block(routed_fp8(Scaling::mx, "26.06"));
  EXPECT_EQ(only_op(fused.forward, "experts.up").kernel.host_launches, 0u);
  EXPECT_FALSE(has_named_op(fused.forward, "moe.count"));
}

TEST(ExpertKernels, TheHostWaitsForTheCountsBeforeTokensAreCopied) {
  const LoweredPart part = routed_block(routed_job());
  const auto at = [&](std::string_view name) {
    return std::find_if(part.forward.begin(), part.forward.end(),
                        [&](const Op& op) { return op.name == name; });
  };
  const Op count = only_op(part.forward, "moe.count");
  EXPECT_TRUE(count.kernel.host_waits);
  EXPECT_EQ(count.kernel.launches, 11u);
  EXPECT_LT(at("router"), at("moe.count"));
  EXPECT_LT(at("moe.count"), at("moe.permute"));
  EXPECT_FALSE(has_named_op(part.backward, "moe.count")) << "the counts are stored";
  Spec alone = routed_job();
  alone.parallel.ep = 1;
  EXPECT_EQ(only_op(routed_block(alone).forward, "moe.count").kernel.launches, 2u);
  Spec known = routed_job();
  known.kernels.expert_syncs = false;
  EXPECT_FALSE(has_named_op(routed_block(known).forward, "moe.count"));
}

TEST(ExpertKernels, CopiesArePaddedForFp8) {
  const std::int64_t all = kRoutedCopies * 2880 * 2 * 2;  // read and written, 2 bytes each
  EXPECT_FALSE(has_named_op(routed_block(routed_job()).forward, "moe.pad"));
  const LoweredPart fp8 = routed_block(routed_fp8(Scaling::mx, "25.11"));
  for (const char* name : {"moe.pad", "moe.unpad"}) {
    EXPECT_EQ(only_op(fp8.forward, name).bytes, all) << name;
    EXPECT_EQ(only_op(fp8.backward, std::string(name) + ".dgrad").bytes, all) << name;
  }
}

// Receivers of DeepEP and HybridEP make the copies; the host waits for their number all the same.
TEST(ExpertKernels, HostsWaitWithEveryDispatcher) {
  for (const Dispatcher dispatcher : {Dispatcher::deepep, Dispatcher::hybridep}) {
    Spec spec = routed_fp8(Scaling::mx, "25.11");
    spec.parallel.dispatcher = dispatcher;
    const LoweredPart part = routed_block(spec);
    EXPECT_TRUE(only_op(part.forward, "moe.count").kernel.host_waits);
    EXPECT_FALSE(has_named_op(part.forward, "moe.pad"));
    EXPECT_EQ(only_op(part.forward, "moe.permute").kernel.host_launches, 4u);
  }
}

// 16 and 30 bytes per number of one half of the first product's output.
TEST(ExpertKernels, ClampsAreKernelsOfTheirOwn) {
  Spec spec = routed_job();
  const std::int64_t saved = sums_of(routed_block(spec)).retained;
  spec.model.moe->clamp = true;
  const LoweredPart part = routed_block(spec);
  const Op forward = only_op(part.forward, "experts.clamp");
  EXPECT_EQ(forward.bytes, 16 * kRoutedCopies * 2880);
  EXPECT_TRUE(forward.kernel.host_waits) << "the offset is copied from the host";
  EXPECT_EQ(only_op(part.backward, "experts.clamp.dgrad").bytes, 30 * kRoutedCopies * 2880);
  EXPECT_EQ(sums_of(part).retained - saved, 4 * kRoutedCopies * 2880) << "both halves, once more";
  spec.recompute.kind = RecomputeKind::ops;
  spec.recompute.ops = {"moe_act"};
  EXPECT_TRUE(has_named_op(routed_block(spec).backward, "experts.clamp")) << "recomputed";
  spec = routed_fp8(Scaling::mx, "26.08");
  spec.model.moe->clamp = spec.model.moe->expert_bias = true;
  spec.kernels.fused_experts = true;
  EXPECT_FALSE(has_named_op(routed_block(spec).forward, "experts.clamp")) << "in the fused kernel";
}

}  // namespace
}  // namespace orrery::workload

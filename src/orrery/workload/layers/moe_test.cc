// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/moe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "orrery/workload/layers/blocks.h"
#include "orrery/workload/operators/lowered_sums_testing.h"

namespace orrery::workload {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// Mixtral 8x7B's experts (Jiang et al., 2024, table 1) and 2 sequences of 1024 tokens.
Spec mixtral() {
  Spec spec;
  spec.model.hidden = 4096;
  spec.model.ffn = 14336;
  spec.model.heads = 32;
  spec.model.mlp = Mlp::swiglu;
  spec.model.mlp_bias = false;
  spec.model.moe = Moe{.experts = 8, .top_k = 2};
  spec.batch.micro = 2;
  spec.batch.seq = 1024;
  return spec;
}
constexpr std::int64_t kRouted = 2048;
constexpr std::int64_t kCopies = 2 * kRouted;
constexpr std::int64_t kWidthOfToken = 4096;
constexpr std::int64_t kExpert = 3LL * 4096 * 14336;  // weights of one expert

/// DeepSeek-V3's experts (arXiv 2412.19437, section 4.2) and one sequence of 4096 tokens.
Spec deepseek() {
  Spec spec = mixtral();
  spec.model.hidden = 7168;
  spec.model.ffn = 18432;
  spec.model.moe = Moe{.experts = 256,
                       .top_k = 8,
                       .ffn = 2048,
                       .shared_experts = 1,
                       .router_bias = true,
                       .first_dense = 3};
  spec.batch.micro = 1;
  spec.batch.seq = 4096;
  return spec;
}

LoweredPart block_of(const Spec& spec, const Position& where = {}) {
  const Mesh mesh(spec);
  const Scope scope(spec, mesh, where, spec.batch.seq);
  Tape tape(scope, "layer", true);
  const Tensor x = tape.input("x", scope.activation(scope.shard * spec.model.hidden));
  auto part = tape.finish({moe(tape, scope, x)});
  if (!part) ADD_FAILURE() << to_string(part.error());
  return part ? *part : LoweredPart{};
}

MoeTokens tokens_per_sequence(const Spec& spec, const Position& where = {}) {
  const Mesh mesh(spec);
  return moe_tokens(Scope(spec, mesh, where, spec.batch.seq));
}

/// FLOPs of the routed experts in the forward pass.
std::int64_t expert_flops(const LoweredPart& part) {
  return only_op(part.forward, "experts.up").matmul + only_op(part.forward, "experts.down").matmul;
}

int count_ops(const std::vector<Op>& ops, std::string_view name) {
  return static_cast<int>(
      std::count_if(ops.begin(), ops.end(), [&](const Op& op) { return op.name == name; }));
}

TEST(Moe, FoldedExpertParallelismLeavesTheFlopsOfARankAlone) {
  // Ranks of ep have different tokens: what a rank's experts lose in their own tokens they gain
  // from others'. Dividing by ep, or twice by it as STAGE does, is wrong.
  for (const std::int64_t ep : {1, 2, 4, 8}) {
    Spec spec = mixtral();
    spec.parallel.dp = 8;
    spec.parallel.ep = ep;
    EXPECT_EQ(expert_flops(block_of(spec)), 2 * kCopies * kExpert) << ep;
  }
}

TEST(Moe, OnItsOwnAxisExpertParallelismDividesTheFlopsOnce) {
  for (const std::int64_t ep : {1, 2, 4, 8}) {
    Spec spec = mixtral();
    spec.parallel.ep = ep;
    spec.parallel.ep_own_axis = true;
    EXPECT_EQ(expert_flops(block_of(spec)), 2 * kCopies * kExpert / ep) << ep;
  }
}

TEST(Moe, WhatRanksOfAnOwnAxisComputeAlikeCountsOnce) {
  Spec spec = mixtral();
  spec.model.moe->shared_experts = 1;
  const Sums one = sums_of(block_of(spec));
  spec.parallel.ep = 4;
  spec.parallel.ep_own_axis = true;
  const Sums four = sums_of(block_of(spec));
  EXPECT_EQ(4 * four.forward, one.forward);
  EXPECT_EQ(4 * four.backward(), one.backward());
  // Router and shared experts run on all four.
  EXPECT_EQ(four.repeated_flops, 3 * 2 * kRouted * (kWidthOfToken * 8 + kExpert) * 3 / 4);
}

TEST(Moe, ExpertFlopsOfAllRanksDoNotDependOnHowTheyAreCut) {
  // Eight sequences, 64 ranks or fewer.
  for (const auto& [tp, sp, etp, ep, own] :
       {std::tuple{1, false, 0, 1, false}, std::tuple{1, false, 0, 8, false},
        std::tuple{4, true, 0, 2, false}, std::tuple{4, true, 1, 8, false},
        std::tuple{4, true, 1, 1, false}, std::tuple{4, true, 0, 1, false},
        std::tuple{4, false, 0, 1, false}, std::tuple{4, false, 0, 2, false},
        std::tuple{2, true, 0, 4, true}, std::tuple{2, false, 0, 4, true},
        std::tuple{2, true, 1, 2, true}}) {
    Spec spec = mixtral();
    spec.parallel.tp = tp;
    spec.parallel.sp = sp;
    spec.parallel.etp = etp;
    spec.parallel.ep = ep;
    spec.parallel.ep_own_axis = own;
    spec.parallel.dp = 8;
    const auto ranks = static_cast<std::int64_t>(Mesh(spec).world());
    const LoweredPart part = block_of(spec);
    const std::string how =
        "tp " + std::to_string(tp) + " etp " + std::to_string(etp) + " ep " + std::to_string(ep);
    EXPECT_EQ(expert_flops(part) * ranks, 8 * 2 * kCopies * kExpert) << how;
    // Weights: all experts, as often as there are groups that hold them all.
    const std::int64_t copies = ranks / ep / spec.parallel.expert_tp();
    EXPECT_EQ(part.part.weights.expert * ranks, copies * 8 * kExpert) << how;
    EXPECT_EQ(sums_of(part).backward(), 2 * sums_of(part).forward) << how;
    // Ranks that have the same tokens route them alike; that counts once.
    const Op router = only_op(part.forward, "router");
    EXPECT_EQ((router.matmul - router.repeated_flops) * ranks, 8 * 2 * kRouted * kWidthOfToken * 8)
        << how;
    expect_whole(part.forward, how + " forward");
    expect_whole(part.backward, how + " backward");
  }
}

TEST(Moe, AllToAllsCarryEveryCopyThereAndBack) {
  Spec spec = mixtral();
  spec.parallel.dp = 8;
  spec.parallel.ep = 8;
  const LoweredPart part = block_of(spec);
  // b · t · K · D
  const std::string size = std::to_string(2 * kCopies * kWidthOfToken);
  EXPECT_THAT(collectives(part.forward), ElementsAre("moe.dispatch all_to_all ep " + size,
                                                     "moe.combine all_to_all ep " + size));
  EXPECT_THAT(collectives(part.backward), ElementsAre("moe.combine.dgrad all_to_all ep " + size,
                                                      "moe.dispatch.dgrad all_to_all ep " + size));
}

TEST(Moe, DispatchAndCombineHaveTypesOfTheirOwn) {
  // DeepSeek-V3, section 3.3.1: to experts in fp8, back in bf16, both passes.
  Spec spec = deepseek();
  spec.parallel.dp = 64;
  spec.parallel.ep = 64;
  spec.precision.dispatch = Dtype::fp8;
  const LoweredPart part = block_of(spec);
  const std::int64_t elements = 4096LL * 8 * 7168;
  EXPECT_EQ(only_op(part.forward, "moe.dispatch").size, elements);
  EXPECT_EQ(only_op(part.forward, "moe.combine").size, 2 * elements);
  EXPECT_EQ(only_op(part.backward, "moe.combine.dgrad").size, elements);
  EXPECT_EQ(only_op(part.backward, "moe.dispatch.dgrad").size, 2 * elements);
}

TEST(Moe, DispatchersAreSaidOfWhatTheyCarry) {
  Spec spec = deepseek();
  spec.parallel.dp = spec.parallel.ep = 64;
  spec.precision.dispatch = Dtype::fp8;
  using graph::ExpertTransport;
  for (const auto by : {0, 1, 2, 3, 4}) {
    spec.parallel.dispatcher = Dispatcher(by);
    const LoweredPart part = block_of(spec);
    const auto check = [&](const std::vector<Op>& ops, const char* name, bool combine) {
      graph::ExpertExchange wanted{256, std::uint16_t(combine ? 14336 : 7168), 8};
      wanted.set(ExpertTransport(by), combine);
      EXPECT_EQ(only_op(ops, name).exchange, by > 0 ? wanted : decltype(wanted){});
    };
    for (const bool back : {false, true}) {
      check(part.forward, back ? "moe.combine" : "moe.dispatch", back);
      check(part.backward, back ? "moe.dispatch.dgrad" : "moe.combine.dgrad", back);
    }
  }
}

/// Bytes of the op's operands and results.
std::int64_t moved(const std::vector<Op>& ops, const char* name) {
  return only_op(ops, name).bytes;
}

// DeepEP and HybridEP: n ranks of E / n experts get a token if it has one of them, here 5.43 of 8
// ranks. The receiver reads these tokens and writes the copies, and the reverse.
TEST(Moe, ReceiversCopyTokensThatAreSentOnce) {
  Spec spec = deepseek();
  spec.parallel.dp = spec.parallel.ep = 8;
  spec.model.moe->experts = 64;
  for (const Dispatcher by : {Dispatcher::deepep, Dispatcher::hybridep}) {
    spec.parallel.dispatcher = by;
    const LoweredPart part = block_of(spec);
    const double copies = 4096.0 * 8 * 7168 * 2, tokens = copies * 5.433 / 8;
    const auto check = [](std::int64_t bytes, double wanted) {
      EXPECT_NEAR(static_cast<double>(bytes) / wanted, 1, 1e-3);
    };
    check(moved(part.forward, "moe.permute"), tokens + copies);
    check(moved(part.forward, "moe.unpermute"), copies + tokens);
    check(moved(part.backward, "moe.permute.dgrad"), copies + tokens);
    check(moved(part.backward, "moe.unpermute.dgrad"), tokens + 2 * copies);
    EXPECT_LT(place_of(part.forward, "moe.dispatch"), place_of(part.forward, "moe.permute"));
    EXPECT_TRUE(waits_for(only_op(part.forward, "moe.permute"), stream::ep));
    EXPECT_LT(place_of(part.forward, "moe.unpermute"), place_of(part.forward, "moe.combine"));
    EXPECT_LT(place_of(part.backward, "moe.combine.dgrad"),
              place_of(part.backward, "moe.unpermute.dgrad"));
    EXPECT_LT(place_of(part.backward, "moe.permute.dgrad"),
              place_of(part.backward, "moe.dispatch.dgrad"));
  }
  // HybridEP gathers a byte for each token and expert.
  EXPECT_THAT(collectives(block_of(spec).forward),
              Contains("moe.routing all_gather ep " + std::to_string(4096 * 64)));
}

TEST(Moe, CopiesOfSeveralExpertsAreSorted) {
  Spec spec = deepseek();
  spec.parallel.dp = spec.parallel.ep = 8;
  const auto names = [&](const char* name) {
    std::int64_t count = 0;
    const LoweredPart part = block_of(spec);
    for (const auto* ops : {&part.forward, &part.backward})
      for (const Op& op : *ops) count += std::string_view(op.name) == name ? 1 : 0;
    return count;
  };
  EXPECT_EQ(names("moe.sort"), 0) << "no framework";
  spec.kernels.framework = Framework::megatron;
  for (const char* name : {"moe.sort", "moe.unsort", "moe.sort.dgrad", "moe.unsort.dgrad"})
    EXPECT_EQ(names(name), 1) << name;
  const std::int64_t copies = 4096LL * 8 * 7168 * 2;
  EXPECT_EQ(moved(block_of(spec).forward, "moe.sort"), 2 * copies);
  spec.model.moe->experts = 8;
  spec.model.moe->top_k = 2;
  EXPECT_EQ(names("moe.sort"), 0) << "one expert on each rank";
}

TEST(Moe, TensorParallelExpertsGatherWhatReachedTheirGroup) {
  Spec spec = mixtral();
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  spec.parallel.dp = 2;
  spec.parallel.ep = 2;
  const std::int64_t shard = 2 * kCopies / 4 * kWidthOfToken;
  EXPECT_THAT(collectives(block_of(spec).forward),
              ElementsAre("moe.dispatch all_to_all ep " + std::to_string(shard),
                          "moe.gather all_gather etp " + std::to_string(shard),
                          "moe.scatter reduce_scatter etp " + std::to_string(4 * shard),
                          "moe.combine all_to_all ep " + std::to_string(shard)));
  EXPECT_THAT(collectives(block_of(spec).backward),
              ElementsAre("moe.combine.dgrad all_to_all ep " + std::to_string(shard),
                          "moe.scatter.dgrad all_gather etp " + std::to_string(shard),
                          "moe.gather.dgrad reduce_scatter etp " + std::to_string(4 * shard),
                          "moe.dispatch.dgrad all_to_all ep " + std::to_string(shard)));
  // With whole experts on each rank nothing is gathered: every rank of tp sends for itself.
  spec.parallel.etp = 1;
  spec.parallel.ep = 8;
  EXPECT_THAT(collectives(block_of(spec).forward),
              ElementsAre("moe.dispatch all_to_all ep " + std::to_string(shard),
                          "moe.combine all_to_all ep " + std::to_string(shard)));
}

TEST(Moe, WithoutExpertParallelismTokensMoveLikeThoseOfAnMlp) {
  Spec spec = mixtral();
  EXPECT_THAT(collectives(block_of(spec).forward), IsEmpty());
  spec.parallel.tp = 4;
  const std::int64_t all = 2 * kRouted * kWidthOfToken;
  EXPECT_THAT(collectives(block_of(spec).forward),
              ElementsAre("moe.reduce all_reduce etp " + std::to_string(all)));
  EXPECT_THAT(collectives(block_of(spec).backward),
              ElementsAre("moe.reduce.dgrad all_reduce etp " + std::to_string(all)));
  spec.parallel.sp = true;
  EXPECT_THAT(collectives(block_of(spec).forward),
              ElementsAre("moe.gather all_gather etp " + std::to_string(all / 4),
                          "moe.reduce reduce_scatter etp " + std::to_string(all)));
  EXPECT_THAT(collectives(block_of(spec).backward),
              ElementsAre("moe.reduce.gather all_gather etp " + std::to_string(all / 4),
                          "moe.gather.dgrad reduce_scatter etp " + std::to_string(all)));
  // Experts on an axis of their own: its ranks have the tokens already, and make summands.
  spec.parallel.ep = 4;
  spec.parallel.ep_own_axis = true;
  EXPECT_THAT(collectives(block_of(spec).forward),
              ElementsAre("moe.gather all_gather etp " + std::to_string(all / 4),
                          "moe.reduce reduce_scatter etp " + std::to_string(all),
                          "moe.sum all_reduce ep " + std::to_string(all / 4)));
  EXPECT_THAT(collectives(block_of(spec).backward),
              ElementsAre("moe.reduce.gather all_gather etp " + std::to_string(all / 4),
                          "moe.gather.dgrad reduce_scatter etp " + std::to_string(all),
                          "moe.sum.dgrad all_reduce ep " + std::to_string(all / 4)));
}

TEST(Moe, TheBusiestRankTakesFromTheOthersAndNothingIsLost) {
  Spec spec = mixtral();
  spec.parallel.dp = 8;
  spec.parallel.ep = 8;
  spec.model.moe->imbalance = 1.7;
  const MoeTokens busiest = tokens_per_sequence(spec, {.expert = 0}),
                  other = tokens_per_sequence(spec, {.expert = 1});
  EXPECT_EQ((busiest.arriving + other.arriving * 7).value(), 8 * kCopies);
  EXPECT_NEAR(static_cast<double>(busiest.arriving.value()), 1.7 * kCopies, 7);
  EXPECT_EQ(other.sent.value(), kCopies);
  EXPECT_EQ(busiest.sent.value(), kCopies);
  // All ranks of a collective state the same size: it lasts as long as the busiest one takes.
  EXPECT_TRUE(busiest.exchanged == busiest.arriving);
  EXPECT_TRUE(other.exchanged == busiest.arriving);
  EXPECT_EQ(collectives(block_of(spec, {.expert = 0}).forward),
            collectives(block_of(spec, {.expert = 1}).forward));
  EXPECT_EQ(
      expert_flops(block_of(spec, {.expert = 0})) + 7 * expert_flops(block_of(spec, {.expert = 1})),
      8 * 2 * kCopies * kExpert);
  // At most everything goes to one.
  spec.model.moe->imbalance = 8;
  EXPECT_EQ(tokens_per_sequence(spec, {.expert = 0}).arriving.value(), 8 * kCopies);
  EXPECT_EQ(tokens_per_sequence(spec, {.expert = 1}).arriving.value(), 0);
}

TEST(Moe, CapacityDropsWhatIsTooMuchAndPadsWhatIsMissing) {
  Spec spec = mixtral();
  spec.parallel.dp = 8;
  spec.parallel.ep = 8;
  Moe& moe = *spec.model.moe;
  // 1.25 times the mean is enough when all experts get the same …
  moe.capacity_factor = 1.25;
  EXPECT_EQ(tokens_per_sequence(spec).arriving.value(), kCopies);
  EXPECT_EQ(tokens_per_sequence(spec).sent.value(), kCopies);
  // … and is what is multiplied when the rest is padded: 8 senders, 640 of 512 each.
  moe.pad_to_capacity = true;
  EXPECT_EQ(tokens_per_sequence(spec).arriving.value(), 8 * 640);
  EXPECT_EQ(tokens_per_sequence(spec).sent.value(), 8 * 640);
  EXPECT_EQ(expert_flops(block_of(spec)), 2LL * 8 * 640 * kExpert);
  // Half of the mean drops half.
  moe.pad_to_capacity = false;
  moe.capacity_factor = 0.5;
  EXPECT_EQ(tokens_per_sequence(spec).arriving.value(), kCopies / 2);
  EXPECT_EQ(tokens_per_sequence(spec).sent.value(), kCopies / 2);
  // The busiest rank is cut off, others are not.
  moe.capacity_factor = 1.25;
  moe.imbalance = 4.5;
  EXPECT_EQ(tokens_per_sequence(spec, {.expert = 0}).arriving.value(), 5 * kCopies / 4);
  EXPECT_EQ(tokens_per_sequence(spec, {.expert = 1}).arriving.value(), kCopies / 2);
  EXPECT_EQ(tokens_per_sequence(spec, {.expert = 1}).sent.value(),
            (5 * kCopies / 4 + 7 * kCopies / 2) / 8);
  // Rounded up per expert: 3 tokens of 2 copies for 8 experts are 0.75 each.
  Spec few = mixtral();
  few.batch.micro = 3;
  few.batch.seq = 1;
  few.model.moe->capacity_factor = 1;
  few.model.moe->pad_to_capacity = true;
  EXPECT_EQ(tokens_per_sequence(few).computed.value(), 8);
}

TEST(Moe, DeepSeekLayer) {
  Spec spec = deepseek();
  spec.parallel.dp = 64;
  spec.parallel.ep = 64;
  const LoweredPart part = block_of(spec);
  constexpr std::int64_t tokens = 4096, hidden = 7168, expert = 3LL * hidden * 2048;
  EXPECT_EQ(part.part.weights.expert, 4 * expert);
  EXPECT_EQ(part.part.weights.replicated, hidden * 256 + 256);  // router and its bias
  EXPECT_EQ(part.part.weights.dense, expert);                   // shared
  EXPECT_EQ(part.part.weights.matrices, 5 * expert + hidden * 256);
  // Eight routed, one shared, the router.
  EXPECT_EQ(sums_of(part).forward, 2 * tokens * (9 * expert + hidden * 256));
  EXPECT_EQ(sums_of(part).input_grad, sums_of(part).forward);
  EXPECT_EQ(sums_of(part).weight_grad, sums_of(part).forward);
}

TEST(Moe, SharedExpertsRunWhileCopiesAreOnTheirWay) {
  Spec spec = deepseek();
  spec.parallel.dp = 64;
  spec.parallel.ep = 64;
  const LoweredPart part = block_of(spec);
  EXPECT_LT(place_of(part.forward, "moe.dispatch"), place_of(part.forward, "mlp_up"));
  EXPECT_FALSE(waits_for(only_op(part.forward, "mlp_up"), stream::ep));
  EXPECT_LT(place_of(part.forward, "mlp_up"), place_of(part.forward, "experts.up"));
  EXPECT_TRUE(waits_for(only_op(part.forward, "experts.up"), stream::ep));
  EXPECT_TRUE(waits_for(only_op(part.forward, "moe.unpermute"), stream::ep));
  EXPECT_LT(place_of(part.backward, "moe.dispatch.dgrad"), place_of(part.backward, "mlp_up.dgrad"));
  EXPECT_FALSE(waits_for(only_op(part.backward, "mlp_down.dgrad"), stream::ep));
  EXPECT_TRUE(waits_for(only_op(part.backward, "experts.down.dgrad"), stream::ep));
  EXPECT_TRUE(waits_for(only_op(part.backward, "moe.permute.dgrad"), stream::ep));
}

TEST(Moe, ASharedGateIsOneMoreColumn) {
  // Qwen2-57B-A14B (arXiv 2407.10671, table 1): 8 shared of 2560, gated.
  Spec spec = mixtral();
  const Sums before = sums_of(block_of(spec));
  spec.model.moe->shared_experts = 8;
  spec.model.moe->shared_ffn = 20480;
  spec.model.moe->shared_gate = true;
  const LoweredPart part = block_of(spec);
  EXPECT_EQ(part.part.weights.total() - before.weights, 3 * kWidthOfToken * 20480 + kWidthOfToken);
  EXPECT_EQ(sums_of(part).forward - before.forward,
            2 * kRouted * (3 * kWidthOfToken * 20480 + kWidthOfToken));
}

TEST(Moe, BiasesOfExpertsAreCutOnce) {
  Spec spec = mixtral();
  spec.model.moe->expert_bias = true;
  const std::int64_t with_biases = 8 * (kExpert + 2 * 14336 + 4096);
  EXPECT_EQ(block_of(spec).part.weights.expert, with_biases);
  spec.parallel.tp = 4;
  EXPECT_EQ(block_of(spec).part.weights.expert * 4, with_biases);
}

// Megatron-Core's own kernels for the biases of the second product: 28 + 40 bytes per number.
TEST(Moe, MegatronAddsBiasesInSeparateKernels) {
  Spec spec = mixtral();
  spec.kernels.framework = Framework::megatron;
  const Sums before = sums_of(block_of(spec));
  spec.model.moe->expert_bias = true;
  const LoweredPart part = block_of(spec);
  const std::int64_t numbers = kCopies * kWidthOfToken;
  const Op forward = only_op(part.forward, "experts.bias");
  const Op backward = only_op(part.backward, "experts.bias.dgrad");
  EXPECT_EQ(forward.bytes, 28 * numbers);
  EXPECT_EQ(backward.bytes, 40 * numbers);
  EXPECT_EQ(forward.kernel.launches, 8u * 2 + 2);
  EXPECT_EQ(backward.kernel.launches, 8u * 5 + 2);
  EXPECT_EQ(before.retained, sums_of(part).retained) << "nothing of the tokens' size is stored";
  spec.kernels.fused_experts = true;
  EXPECT_EQ(count_ops(block_of(spec).forward, "experts.bias"), 0);
  spec.kernels.fused_experts.reset();
  spec.kernels.framework = Framework::none;
  EXPECT_EQ(count_ops(block_of(spec).forward, "experts.bias"), 0);
}

// The activation and the casts of its result and of its gradient belong to the products.
TEST(Moe, FusedExpertsHaveNoKernelsBetweenTheirProducts) {
  Spec spec = mixtral();
  spec.precision.products = Dtype::fp8;
  spec.precision.scaling = Scaling::mx;
  spec.kernels.fused = false;  // casts are kernels of their own
  const LoweredPart separate = block_of(spec);
  spec.kernels.fused_experts = true;
  const LoweredPart fused = block_of(spec);
  for (const char* name : {"experts.activation", "experts.down.cast"}) {
    EXPECT_EQ(count_ops(separate.forward, name), 1) << name;
    EXPECT_EQ(count_ops(fused.forward, name), 0) << name;
  }
  for (const char* name : {"experts.activation.dgrad", "experts.up.cast.dgrad"}) {
    EXPECT_EQ(count_ops(separate.backward, name), 1) << name;
    EXPECT_EQ(count_ops(fused.backward, name), 0) << name;
  }
  for (const char* name : {"experts.up.cast", "experts.up", "experts.down"})
    EXPECT_EQ(count_ops(fused.forward, name), 1) << name;
  EXPECT_EQ(sums_of(fused).retained, sums_of(separate).retained);
}

TEST(Moe, RecomputationKeepsLess) {
  Spec spec = mixtral();
  spec.parallel.dp = 8;
  spec.parallel.ep = 8;
  const LoweredPart all = block_of(spec);
  // Input, probabilities, what arrived, both halves of the up product, its activation, what
  // returned.
  const std::int64_t copies = kCopies * kWidthOfToken * 2, inner = kCopies * 14336 * 2;
  const std::int64_t rest = kRouted * kWidthOfToken * 2 + 2 * copies;
  EXPECT_EQ(sums_of(all).retained, rest + kRouted * 8 * 4 + 3 * inner);
  EXPECT_EQ(sums_of(all).recompute, 0);

  spec.recompute.kind = RecomputeKind::ops;
  spec.recompute.ops = {"router"};
  EXPECT_EQ(sums_of(block_of(spec)).retained, rest + 3 * inner);
  EXPECT_EQ(sums_of(block_of(spec)).recompute, 2 * kRouted * kWidthOfToken * 8);
  spec.recompute.ops = {"experts"};
  EXPECT_EQ(sums_of(block_of(spec)).retained, rest + kRouted * 8 * 4);
  EXPECT_EQ(sums_of(block_of(spec)).recompute, 2 * kCopies * kExpert * 2 / 3);
  spec.recompute.ops = {"activation"};
  EXPECT_EQ(sums_of(block_of(spec)).retained, rest + kRouted * 8 * 4 + 2 * inner);
  EXPECT_EQ(sums_of(block_of(spec)).recompute, 0);  // no products
  spec.recompute.ops.clear();
  spec.recompute.kind = RecomputeKind::full;
  EXPECT_EQ(sums_of(block_of(spec)).retained, kRouted * kWidthOfToken * 2);
  EXPECT_EQ(sums_of(block_of(spec)).recompute, sums_of(all).forward);
  EXPECT_EQ(collectives(block_of(spec).backward).size(), 4U);
  for (const LoweredPart& part : {all, block_of(spec)})
    EXPECT_EQ(sums_of(part).backward(), 2 * sums_of(part).forward);
}

TEST(Moe, WhatIsTooLargeIsRefused) {
  Spec spec = mixtral();
  spec.batch.micro = 1 << 24;
  spec.batch.seq = 1 << 26;
  spec.parallel.dp = 8;
  spec.parallel.ep = 8;
  spec.model.moe->imbalance = 2;
  spec.model.moe->capacity_factor = 2;
  const Mesh mesh(spec);
  const Scope scope(spec, mesh, {}, spec.batch.seq);
  Tape tape(scope, "layer", true);
  const Tensor x = tape.input("x", 1);
  const auto part = tape.finish({moe(tape, scope, x)});
  ASSERT_FALSE(part.has_value());
  EXPECT_EQ(part.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload

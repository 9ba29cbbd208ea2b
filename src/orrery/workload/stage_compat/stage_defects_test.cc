// SPDX-License-Identifier: Apache-2.0
//
// Nine mistakes of the STAGE generator (astra-sim/stage at 9ec6c02) that change what studies find,
// each with the right number and why it is right. `compat: stage` makes them again
// (stage_compat_test.cc).
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/program/step_count.h"
#include "orrery/workload/stage_compat/stage_compat.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kLayers = 4, kWidth = 1024, kFfn = 4096, kBatch = 8, kLength = 512;
constexpr std::int64_t kWords = 32000, kBatchTokens = kBatch * kLength;

/// The model of STAGE's recorded runs: a small GPT.
Spec base() {
  Spec spec;
  spec.model.layers = kLayers;
  spec.model.hidden = kWidth;
  spec.model.ffn = kFfn;
  spec.model.heads = 16;
  spec.model.vocab = kWords;
  spec.model.tied_embeddings = false;
  spec.batch.seq = kLength;
  spec.batch.micro = kBatch;
  spec.batch.global = kBatch;
  return spec;
}

Program assemble_job(const Spec& spec) {
  Findings findings;
  Result<Program> program = assemble(spec, findings);
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  return std::move(*program);
}

StepCount counted(const Spec& spec) {
  const Result<StepCount> count = workload::count(assemble_job(spec));
  return count ? *count : StepCount{};
}

/// FLOPs of products of one class in one forward pass through one part.
std::int64_t forward_products(const Spec& spec, std::string_view part, OpClass op_class) {
  const Result<LoweredModel> model = lower(spec, Mesh(spec), Position{});
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return 0;
  }
  std::int64_t sum = 0;
  for (const LoweredPart& lowered : model->parts) {
    if (lowered.part.name != part) continue;
    for (const Op& op : lowered.forward) sum += op.op_class == op_class ? op.matmul : 0;
  }
  return sum;
}

// 1. STAGE counts one operation per multiply-accumulate. A peak in FLOP/s counts the multiplication
// and the addition: 2mnk.
TEST(StageDefects, ProductsCountMultiplicationsAndAdditions) {
  const std::int64_t weights = 4 * kWidth * kWidth + 2 * kWidth * kFfn;
  EXPECT_EQ(forward_products(base(), "layer", OpClass::matmul), 2 * kBatchTokens * weights);
}

// 2. STAGE's attention grows with tokens only: three operations per element of the queries. Every
// token looks at every earlier one, so twice the sequence is four times the work: scores and
// context take 2 × 2·S²·D, and the causal mask leaves half.
TEST(StageDefects, AttentionIsQuadraticInTheSequence) {
  Spec spec = base();
  EXPECT_EQ(forward_products(spec, "layer", OpClass::attention),
            kBatch * 4 * kLength * kLength * kWidth / 2);
  spec.kernels.flash_attention = false;  // computes what the mask throws away, too
  EXPECT_EQ(forward_products(spec, "layer", OpClass::attention),
            kBatch * 4 * kLength * kLength * kWidth);
  spec.batch.seq = 2 * kLength;
  EXPECT_EQ(forward_products(spec, "layer", OpClass::attention),
            kBatch * 16 * kLength * kLength * kWidth);
}

// 3. STAGE multiplies one-hot vectors with the input table: 3·V·D multiply-accumulates per token,
// 28 % of the step of this model. Rows are looked up and gradients added to rows.
TEST(StageDefects, TheInputTableIsLookedUp) {
  EXPECT_EQ(forward_products(base(), "embedding", OpClass::matmul), 0);
  EXPECT_EQ(forward_products(base(), "embedding", OpClass::lookup), 0);
  const std::int64_t layer = 4 * kWidth * kWidth + 2 * kWidth * kFfn;
  const std::int64_t attention = 2 * kLength * kWidth;  // per token
  const std::int64_t step =
      3 * kBatchTokens *
      (kLayers * (2 * layer + attention) + 2 * kWidth * kWords);  // one table, not two
  EXPECT_EQ(to_string(counted(base()).flops.model()), std::to_string(step));
}

Spec with_experts() {
  Spec spec = base();
  spec.model.moe.emplace();
  spec.model.moe->experts = 8;
  spec.model.moe->top_k = 2;
  return spec;
}

/// FLOPs of products in the experts of one layer on one rank.
std::int64_t expert_products(const Spec& spec) {
  return forward_products(spec, "moe layer", OpClass::matmul) -
         2 * spec.batch.micro * kLength * (4 * kWidth * kWidth + 8 * kWidth);  // attention, router
}

// 4. STAGE divides a rank's expert work by ep twice. Ranks of dp have tokens of their own and each
// gets as many copies as it sends, on average: a rank's work does not depend on ep at all. When ep
// is an axis whose ranks share their tokens, it is divided once.
TEST(StageDefects, ExpertWorkIsNotDividedTwice) {
  Spec spec = with_experts();
  const std::int64_t whole = 2 * kBatchTokens * 2 * 2 * kWidth * kFfn;  // top 2, two matrices
  EXPECT_EQ(expert_products(spec), whole);
  for (const std::int64_t ep : {2, 4}) {
    spec.parallel.dp = 4;
    spec.parallel.ep = ep;
    spec.batch.global = 4 * kBatch;
    EXPECT_EQ(expert_products(spec), whole) << ep;
  }
  spec = with_experts();
  spec.parallel.ep_own_axis = true;
  for (const std::int64_t ep : {2, 4}) {
    spec.parallel.ep = ep;
    EXPECT_EQ(expert_products(spec), whole / ep) << ep;
  }
}

// 5. STAGE takes `--activation_recompute` and does nothing. Recomputing everything is one more
// forward pass through all layers: the head and the loss are not in a layer.
TEST(StageDefects, RecomputationTakesTime) {
  Spec spec = base();
  spec.kernels.flash_attention = false;
  const StepCount without = counted(spec);
  EXPECT_EQ(to_string(without.flops.recompute), "0");
  spec.recompute.kind = RecomputeKind::full;
  const StepCount with = counted(spec);
  const Total head = 2 * static_cast<Total>(kBatchTokens) * kWidth * kWords;
  EXPECT_EQ(to_string(with.flops.recompute), to_string(without.flops.forward - head));
  EXPECT_EQ(to_string(with.flops.model()), to_string(without.flops.model()));
}

// 6. STAGE builds GPT's block for `--model_type llama` unless `--mixed_precision true` is given.
// Keys and values have `kv_heads` heads, and a gated MLP has three matrices.
TEST(StageDefects, GroupedQueriesAndGatedMlpsAreWhatIsAskedFor) {
  Spec spec = base();
  spec.model.kv_heads = 4;
  spec.model.mlp = Mlp::swiglu;
  const std::int64_t weights = kWidth * (kWidth + 2 * 256) + kWidth * kWidth + 3 * kWidth * kFfn;
  EXPECT_EQ(forward_products(spec, "layer", OpClass::matmul), 2 * kBatchTokens * weights);
}

// 7. STAGE writes the number of elements where readers expect bytes. bfloat16 has two, and
// gradients are summed up in four.
TEST(StageDefects, MessagesAreMeasuredInBytes) {
  Spec spec = base();
  spec.parallel.tp = 2;
  spec.parallel.sp = true;
  spec.parallel.tp_overlap = TensorOverlap::none;
  const Result<LoweredModel> model = lower(spec, Mesh(spec), Position{});
  ASSERT_TRUE(model) << to_string(model.error());
  int gathers = 0;
  for (const LoweredPart& part : model->parts) {
    if (!part.part.is_layer) continue;
    for (const Op& op : part.forward) {
      if (op.kind != graph::NodeKind::coll) continue;
      const bool gather = op.collective == graph::CollectiveType::all_gather;
      EXPECT_EQ(op.size, kBatchTokens * kWidth * 2 / (gather ? 2 : 1)) << op.name;
      gathers += gather ? 1 : 0;
    }
  }
  EXPECT_EQ(gathers, 2);

  spec = base();
  spec.parallel.dp = 2;
  spec.batch.global = 2 * kBatch;
  Total sent = 0;
  const StepCount count = counted(spec);
  for (const TrafficCount& traffic : count.roles[0].traffic)
    if (traffic.axis == Axis::dp && traffic.type == "all_reduce") sent += traffic.payload;
  EXPECT_EQ(to_string(sent), std::to_string(4 * count.parameters.total));
}

std::vector<std::string> unrolled(const Program& program, std::uint32_t role) {
  std::vector<std::string> lines;
  StringPool pool;
  graph::KernelTable kernels;
  const auto done =
      unroll(program, role, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
        std::string line =
            std::string(pool.view(node.name)) + " " + std::to_string(node.message.tag);
        for (const std::uint64_t dep : node.deps) line += " " + std::to_string(dep);
        lines.push_back(std::move(line));
        return {};
      });
  EXPECT_TRUE(done);
  return lines;
}

// 8. STAGE leaves the order of microbatches to the simulator's queue and numbers its messages at
// random. The schedule is an edge from each computation to the next, here 1F1B's, and the same
// specification gives the same nodes.
TEST(StageDefects, TheScheduleIsInTheGraphAndTheGraphIsReproducible) {
  Spec spec = base();
  spec.parallel.pp = 2;
  spec.batch.micro = 2;
  const Program program = assemble_job(spec);
  ASSERT_EQ(program.roles.size(), 2u);
  std::string order;
  std::uint64_t last = 0;
  bool first = true;
  StringPool pool;
  graph::KernelTable kernels;
  ASSERT_TRUE(unroll(program, 0, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
    if (node.kind != graph::NodeKind::comp) return {};
    if (!first) {
      EXPECT_NE(std::find(node.deps.begin(), node.deps.end(), last), node.deps.end())
          << pool.view(node.name) << " does not wait for the computation before it";
    }
    first = false;
    last = node.id;
    return {};
  }));
  for (const TaskLoop& loop : program.roles[0].tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (const Task& task : loop.tasks) {
        if (task.kind == TaskKind::step) continue;
        order += task.kind == TaskKind::forward ? " F" : " B";
        order += std::to_string(task.microbatch + round * loop.stride);
      }
    }
  }
  EXPECT_EQ(order, " F0 F1 B0 F2 B1 F3 B2 B3");
  for (const std::uint32_t role : {0u, 1u})
    EXPECT_EQ(unrolled(program, role), unrolled(assemble_job(spec), role));
}

// 9. STAGE keeps whole tables on every rank and sums up V × D gradients over tp and over dp. Tables
// are cut over the vocabulary by tp, and shared out with the layers by zero3.
TEST(StageDefects, TablesAreCutLikeOtherWeights) {
  Spec spec = base();
  spec.parallel.tp = 4;
  const StepCount cut = counted(spec);
  const std::int64_t layer = 4 * kWidth * kWidth + 2 * kWidth * kFfn;
  const std::int64_t matrices = kLayers * layer + 2 * kWords * kWidth;
  const std::int64_t rest = cut.parameters.total - matrices;  // norms, biases, positions
  EXPECT_GE(cut.roles[0].weights.total(), matrices / 4);
  EXPECT_LE(cut.roles[0].weights.total(), matrices / 4 + rest);

  spec = base();
  spec.parallel.dp = 4;
  spec.parallel.sharding = Sharding::zero3;
  spec.batch.global = 4 * kBatch;
  const StepCount shared = counted(spec);
  std::map<std::string, Total> bytes;
  for (const TrafficCount& traffic : shared.roles[0].traffic)
    bytes[traffic.type] += traffic.payload;
  // All weights are gathered for the forward and for the backward pass, in bfloat16, and all
  // gradients are summed up and scattered once, in fp32. The norm is one
  // number.
  const auto all = static_cast<Total>(shared.parameters.total);
  EXPECT_EQ(to_string(bytes["all_gather"]), to_string(2 * 2 * all));
  EXPECT_EQ(to_string(bytes["reduce_scatter"]), to_string(4 * all));
  EXPECT_EQ(to_string(bytes["all_reduce"]), "4");
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's selective activation checkpointing: per operator, and every n-th layer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "orrery/workload/assembly/assemble.h"
#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

using Names = std::vector<std::string>;

Spec titan_job(Framework framework = Framework::torchtitan) {
  Spec spec = llama();
  spec.kernels.framework = framework;
  spec.recompute.kind = RecomputeKind::torchtitan_op;
  return spec;
}

constexpr std::int64_t kTitanTokens = 4 * 256, kTitanHidden = 512, kTitanKv = 256, kTitanFfn = 1376;

/// Names of repeated products of weights.
Names repeated_products(const LoweredPart& part) {
  Names names;
  for (const Op& op : part.backward)
    if (op.phase == Phase::recompute && op.op_class == OpClass::matmul) names.emplace_back(op.name);
  return names;
}

std::int64_t bytes_named(const Part& part, std::string_view name) {
  std::int64_t sum = 0;
  for (const RetainedTensor& item : part.retained) sum += item.name == name ? item.bytes : 0;
  return sum;
}

// wq, wk, wv, wo, w1, w3, w2: the second, fourth and sixth are repeated (_apply_op_sac: "every
// second mm"), attention is not.
TEST(TorchtitanOp, RepeatsEverySecondProduct) {
  const LoweredModel model = must_lower(titan_job());
  const LoweredPart& layer = part_of(model, "layer");
  EXPECT_EQ(repeated_products(layer), (Names{"qkv", "out", "mlp_up"}));
  std::int64_t again = 0;
  for (const Op& op : layer.backward)
    if (op.phase == Phase::recompute) again += op.matmul;
  EXPECT_EQ(again, 2 * kTitanTokens * kTitanHidden * (kTitanKv + kTitanHidden + kTitanFfn));
  for (const Op& op : layer.backward)
    EXPECT_FALSE(op.phase == Phase::recompute && op.op_class == OpClass::attention);
}

// Stored: the layer's input, wq, wv, attention with its statistics, w1. An eager run also caches
// w2, which nothing reads; a compiler does not store it.
TEST(TorchtitanOp, StoresTheOtherResults) {
  const auto retained = [](Framework framework) {
    const LoweredModel model = must_lower(titan_job(framework));
    return part_of(model, "layer").part;
  };
  const Part eager = retained(Framework::torchtitan);
  EXPECT_EQ(bytes_named(eager, "layer.input"), kTitanTokens * kTitanHidden * 2);
  EXPECT_EQ(bytes_named(eager, "attention.q"), kTitanTokens * kTitanHidden * 2);
  EXPECT_EQ(bytes_named(eager, "attention.k"), 0);
  EXPECT_EQ(bytes_named(eager, "attention.v"), kTitanTokens * kTitanKv * 2);
  EXPECT_EQ(bytes_named(eager, "attention.context"), kTitanTokens * kTitanHidden * 2);
  EXPECT_EQ(bytes_named(eager, "mlp.up"), kTitanTokens * kTitanFfn * 2);  // half of both
  EXPECT_EQ(bytes_named(eager, "mlp.down"), kTitanTokens * kTitanHidden * 2);
  const Part compiled = retained(Framework::torchtitan_compiled);
  EXPECT_EQ(bytes_of(eager.retained) - bytes_of(compiled.retained),
            kTitanTokens * kTitanHidden * 2);
  // Between storing everything and the input only.
  Spec spec = titan_job();
  spec.recompute.kind = RecomputeKind::none;
  EXPECT_LT(bytes_of(eager.retained), bytes_of(part_of(must_lower(spec), "layer").part.retained));
  spec.recompute.kind = RecomputeKind::full;
  EXPECT_GT(bytes_of(eager.retained), bytes_of(part_of(must_lower(spec), "layer").part.retained));
}

// A bias makes a product addmm, which the list does not have: it is repeated and not counted. Then
// wo is the first product, and w3 the third.
TEST(TorchtitanOp, RepeatsProductsWithBiases) {
  Spec spec = titan_job();
  spec.model.qkv_bias = true;
  const LoweredModel model = must_lower(spec);
  EXPECT_EQ(repeated_products(part_of(model, "layer")), (Names{"qkv", "qkv", "qkv", "mlp_up"}));
}

// The results of reduce-scatter are stored, those of all-gather are not. The summed product runs
// again in an eager layer, although its result is stored.
TEST(TorchtitanOp, StoresReduceScatters) {
  Spec spec = titan_job();
  spec.parallel.tp = 4;
  spec.parallel.sp = true;
  const auto repeated = [&](graph::CollectiveType type) {
    const LoweredModel model = must_lower(spec);
    int count = 0;
    for (const Op& op : part_of(model, "layer").backward)
      count +=
          op.phase == Phase::recompute && op.kind == graph::NodeKind::coll && op.collective == type;
    return count;
  };
  EXPECT_EQ(repeated(graph::CollectiveType::reduce_scatter), 0);
  EXPECT_EQ(repeated(graph::CollectiveType::all_gather), 2);
  EXPECT_EQ(repeated_products(part_of(must_lower(spec), "layer")), (Names{"qkv", "out", "mlp_up"}));
  spec.kernels.framework = Framework::torchtitan_compiled;
  EXPECT_EQ(repeated_products(part_of(must_lower(spec), "layer")), (Names{"qkv", "mlp_up"}));
}

// Experts are grouped products, which run again; their exchange does not.
TEST(TorchtitanOp, RepeatsExpertsWithoutTheirExchange) {
  Spec spec = titan_job();
  spec.model.moe = Moe{.experts = 8, .top_k = 2, .ffn = 64};
  spec.parallel.dp = spec.parallel.ep = 4;
  const LoweredModel model = must_lower(spec);
  const LoweredPart& layer = part_of(model, "moe layer");
  EXPECT_EQ(repeated_products(layer),
            (Names{"qkv", "out", "router", "experts.up", "experts.up", "experts.down"}));
  for (const Op& op : layer.backward)
    EXPECT_FALSE(op.phase == Phase::recompute &&
                 op.collective == graph::CollectiveType::all_to_all &&
                 op.kind == graph::NodeKind::coll);
}

// torchtitan, docs/performance.md (2024), table 1: Llama 3.1 8B on 8 H100, local batch 2, selective
// activation checkpointing. The loss was not compiled then (train.py: "turning off for now").
TEST(TorchtitanOp, NeedsThePublishedMemory) {
  Spec spec;
  spec.model = find_model("llama-3.1-8b")->model;
  spec.parallel.dp = 8;
  spec.parallel.sharding = Sharding::zero3;
  spec.batch.micro = 2;
  spec.batch.seq = 8192;
  spec.recompute.kind = RecomputeKind::torchtitan_op;
  spec.kernels.loss = Loss::eager;
  const auto reserved = [&](Framework framework) {
    spec.kernels.framework = framework;
    Findings findings;
    const Result<Program> program = assemble(spec, findings);
    EXPECT_TRUE(program);
    const Result<MemoryReport> report = account_memory(*program);
    EXPECT_TRUE(report);
    return static_cast<double>(report->roles[report->worst].reserved()) / (1 << 30);
  };
  EXPECT_NEAR(reserved(Framework::torchtitan), 82.4, 0.06 * 82.4);
  EXPECT_NEAR(reserved(Framework::torchtitan_compiled), 77.0, 0.06 * 77.0);
}

// _apply_layer_sac counts layers from 1: of three, the second is a checkpoint.
TEST(TorchtitanLayers, RecomputesEverySecondLayer) {
  Spec spec = titan_job();
  spec.recompute.kind = RecomputeKind::full;
  spec.recompute.every = 2;
  const LoweredModel model = must_lower(spec);
  std::string order;
  for (const PartRun& run : model.order)
    order += std::to_string(run.count) + " " + model.parts[run.part].part.name + ", ";
  EXPECT_EQ(order, "1 embedding, 1 stored layer, 1 layer, 1 stored layer, 1 head, ");
  EXPECT_TRUE(repeated_products(part_of(model, "stored layer")).empty());
  EXPECT_EQ(repeated_products(part_of(model, "layer")).size(), 6u);  // all but the last
  EXPECT_GT(bytes_of(part_of(model, "stored layer").part.retained),
            4 * bytes_of(part_of(model, "layer").part.retained));
}

}  // namespace
}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// Layers that are computed again only as far as their backward pass needs.
#include <gtest/gtest.h>

#include <set>

#include "orrery/workload/operators/lowered_model_testing.h"
#include "orrery/workload/operators/lowered_sums_testing.h"
#include "orrery/workload/spec/recompute_policy.h"

namespace orrery::workload {
namespace {

LoweredPart recomputed_layer(Spec spec) {
  spec.recompute.kind = RecomputeKind::full;
  const auto model = lower(spec, Mesh(spec), {});
  EXPECT_TRUE(model) << (model ? "" : to_string(model.error()));
  for (const LoweredPart& part : model->parts)
    if (part.part.is_layer) return part;
  return {};
}

/// A layer as PyTorch's checkpoints and as all others compute it again.
struct Both {
  LoweredPart early, whole;
};
Both both_of(Spec spec) {
  spec.kernels.framework = Framework::pytorch;
  Both both{recomputed_layer(spec), {}};
  spec.recompute.early_stop = false;
  both.whole = recomputed_layer(spec);
  return both;
}

std::int64_t of_recomputation(const LoweredPart& part) { return products_of(part).again; }

// All but the product that ends it; nothing else changes, nor does what is kept.
TEST(EarlyStop, LeavesOutTheLastProduct) {
  for (const std::int64_t tp : {1, 4}) {
    Spec spec = llama();
    spec.parallel.tp = tp;
    const Both both = both_of(spec);
    const std::int64_t tokens = spec.batch.micro * spec.batch.seq;
    EXPECT_EQ(of_recomputation(both.whole) - of_recomputation(both.early),
              2 * tokens * spec.model.ffn * spec.model.hidden / tp);
    EXPECT_EQ(products_of(both.whole).forward, products_of(both.early).forward);
    EXPECT_EQ(products_of(both.whole).backward, products_of(both.early).backward);
    EXPECT_EQ(bytes_of(both.whole.part.retained), bytes_of(both.early.part.retained));
    // Nor are its partial sums added up over tp again.
    std::size_t again_whole = 0, again_early = 0;
    for (const Op& op : both.whole.backward)
      again_whole += op.kind == graph::NodeKind::coll && op.phase == Phase::recompute;
    for (const Op& op : both.early.backward)
      again_early += op.kind == graph::NodeKind::coll && op.phase == Phase::recompute;
    EXPECT_EQ(again_whole - again_early, tp > 1 ? 1u : 0u);
  }
}

// Its mask is saved behind the last product.
TEST(EarlyStop, GoesToTheEndWhereDropoutDoes) {
  Spec spec = gpt();
  const Both dropped = both_of(spec);
  EXPECT_EQ(of_recomputation(dropped.early), of_recomputation(dropped.whole));
  spec.model.dropout = false;
  const Both plain = both_of(spec);
  EXPECT_LT(of_recomputation(plain.early), of_recomputation(plain.whole));
}

TEST(EarlyStop, IsWhatAFrameworkDoes) {
  for (const auto& [framework, stops] : {std::pair{Framework::none, false},
                                         {Framework::pytorch, true},
                                         {Framework::torchtitan, true},
                                         {Framework::torchtitan_compiled, true},
                                         {Framework::deepspeed, false},
                                         {Framework::megatron, false}}) {
    Spec spec = llama();
    spec.kernels.framework = framework;
    EXPECT_EQ(stops_recompute_early(spec), stops);
    spec.recompute.early_stop = !stops;
    EXPECT_EQ(stops_recompute_early(spec), !stops);
  }
}

std::set<Stream> streams_of(const LoweredPart& part) {
  std::set<Stream> used;
  for (const Op& op : part.backward) used.insert(op.stream);
  return used;
}

// With whatever cuts a layer: what is computed again never grows, and nothing waits for a stream
// that only what was left out used.
TEST(EarlyStop, GoesWithAllThatCutsALayer) {
  for (const std::int64_t tp : {1, 2}) {
    for (const bool sp : {false, true}) {
      for (const std::int64_t cp : {1, 2}) {
        for (const auto method :
             {ContextMethod::ring, ContextMethod::all_gather, ContextMethod::ulysses}) {
          for (const bool experts : {false, true}) {
            Spec spec = llama();
            spec.parallel.tp = tp;
            spec.parallel.sp = sp && tp > 1;
            spec.parallel.cp = cp;
            spec.parallel.cp_method = method;
            if (experts) {
              spec.model.moe = Moe{};
              spec.model.moe->experts = 4;
              spec.model.moe->top_k = 2;
              spec.parallel.ep = 2;
              spec.parallel.dp = 2;
            }
            const Both both = both_of(spec);
            EXPECT_LE(of_recomputation(both.early), of_recomputation(both.whole));
            EXPECT_GT(of_recomputation(both.early), 0);
            const std::set<Stream> used = streams_of(both.early), all = streams_of(both.whole);
            for (const Op& op : both.early.backward)
              for (const Stream wait : op.waits)
                EXPECT_EQ(used.contains(wait), all.contains(wait)) << op.name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace orrery::workload

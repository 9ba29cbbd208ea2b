// SPDX-License-Identifier: Apache-2.0
//
// What layers hold and what a shape says are counted apart; both must be the same.
#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

/// Weights of all parts on one rank.
std::int64_t lowered_weights(const Spec& spec) {
  const Result<LoweredModel> model = lower(spec, Mesh(spec), Position{});
  if (!model) {
    ADD_FAILURE() << to_string(model.error());
    return -1;
  }
  std::int64_t sum = 0;
  for (const PartRun& run : model->order)
    sum += run.count * model->parts[run.part].part.weights.total();
  return sum;
}

TEST(LoweredWeights, AreThoseOfTheShape) {
  for (const ModelEntry& entry : models()) {
    Spec spec;
    spec.model = entry.model;
    if (entry.seq > 0) spec.batch.seq = entry.seq;
    EXPECT_EQ(lowered_weights(spec), count_parameters(spec.model).total) << entry.name;
  }
}

/// What no model of the catalog has: norms for every head, and experts in layers of any order;
/// weights that belong to a head are cut over tp.
TEST(LoweredWeights, OfWideNormsSinksAndPatterns) {
  Spec spec;
  spec.model.layers = 5;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.kv_heads = 4;
  spec.model.positions = Positions::rope;
  spec.model.moe = Moe{.experts = 4, .pattern = {1, 0, 0}};
  const std::int64_t before = lowered_weights(spec);
  EXPECT_EQ(before, count_parameters(spec.model).total);
  Spec more = spec;
  more.model.qk_norm = more.model.qk_norm_wide = more.model.sinks = true;
  EXPECT_EQ(lowered_weights(more) - before, 5 * (64 + 32 + 8));
  EXPECT_EQ(lowered_weights(more), count_parameters(more.model).total);
  spec.parallel.tp = more.parallel.tp = 2;
  EXPECT_EQ(lowered_weights(more) - lowered_weights(spec), 5 * (64 + 32 + 8) / 2);
}

}  // namespace
}  // namespace orrery::workload

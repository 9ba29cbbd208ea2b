// SPDX-License-Identifier: Apache-2.0
//
// What layers hold and what a shape says are counted apart; both must be the same.
#include <gtest/gtest.h>

#include "orrery/workload/catalogue.h"
#include "orrery/workload/lower.h"

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
    spec.model = entry.model();
    if (entry.seq > 0) spec.batch.seq = entry.seq;
    EXPECT_EQ(lowered_weights(spec), count_parameters(spec.model).total) << entry.name;
  }
}

}  // namespace
}  // namespace orrery::workload

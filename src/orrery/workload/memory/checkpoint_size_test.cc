// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/checkpoint_size.h"

#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

Spec spec_of(const char* model) {
  Spec spec;
  spec.model = find_model(model)->model;
  spec.batch = {.global = 16, .micro = 1, .seq = 1024};
  return spec;
}

CheckpointSize size_of(const Spec& spec) {
  Findings findings;
  const auto program = assemble(spec, findings);
  EXPECT_TRUE(program.has_value()) << (program ? "" : to_string(program.error()));
  const auto size = checkpoint_size(*program);
  EXPECT_TRUE(size.has_value());
  return *size;
}

// bf16 weights, and for each the fp32 copy and two moments of Adam.
TEST(CheckpointSize, HasWeightsAndOptimizer) {
  Spec spec = spec_of("llama-3.1-8b");
  const std::int64_t weights = count_parameters(spec.model).total;
  EXPECT_EQ(size_of(spec).weights, 2 * weights);
  EXPECT_EQ(size_of(spec).optimizer, 12 * weights);
  spec.optimizer.kind = OptimizerKind::sgd;
  EXPECT_EQ(size_of(spec).total(), (2 + 4) * weights);
  spec.precision.master_weights = false;
  EXPECT_EQ(size_of(spec).total(), 2 * weights);
}

// Each element once: replicas and shards change nothing, and what one rank holds is all there is.
TEST(CheckpointSize, DoesNotDependOnThePlan) {
  Spec spec = spec_of("mixtral-8x7b");
  const std::int64_t alone = size_of(spec).total();
  Findings findings;
  const auto program = assemble(spec, findings);
  const auto memory = account_memory(*program);
  EXPECT_EQ(alone, memory->roles[0].weights + memory->roles[0].optimizer);
  spec.parallel.tp = 2;
  spec.parallel.pp = 4;
  spec.parallel.dp = 2;
  spec.parallel.ep = 2;
  spec.parallel.sharding = Sharding::zero1;
  EXPECT_EQ(size_of(spec).total(), alone);
}

}  // namespace
}  // namespace orrery::workload

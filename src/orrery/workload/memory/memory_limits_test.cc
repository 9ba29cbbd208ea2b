// SPDX-License-Identifier: Apache-2.0
//
// Jobs of millions of tasks: answered soon, in little memory.
#include <gtest/gtest.h>

#include "orrery/workload/memory/memory_report.h"

namespace orrery::workload {
namespace {

Spec job(std::int64_t stages, std::int64_t microbatches) {
  Spec spec;
  spec.model.layers = stages;
  spec.model.hidden = 64;
  spec.model.heads = 4;
  spec.model.vocab = 256;
  spec.batch.seq = 16;
  spec.batch.global = microbatches;
  spec.parallel.pp = stages;
  return spec;
}

TEST(MemoryLimits, OnlyTheWorstRoleKeepsSamplesOfManyTasks) {
  Findings findings;
  const auto small = assemble(job(4, 100), findings);
  ASSERT_TRUE(small) << to_string(small.error());
  const auto all = account_memory(*small);
  ASSERT_TRUE(all);
  for (const RoleMemory& role : all->roles) EXPECT_GE(role.samples.size(), 200u);

  const auto large = assemble(job(4, 200'000), findings);
  ASSERT_TRUE(large) << to_string(large.error());
  const auto worst = account_memory(*large);
  ASSERT_TRUE(worst);
  for (const RoleMemory& role : worst->roles)
    EXPECT_EQ(role.samples.empty(), role.role != worst->worst);
  const RoleMemory& retained = worst->roles[worst->worst];
  EXPECT_EQ(retained.samples[retained.peak_task].bytes, retained.peak);
  EXPECT_EQ(retained.peak, all->roles[all->worst].peak);
}

// Each plan has 4 million passes: one other is tried, not hundreds.
TEST(MemoryLimits, FewPlansOfManyPassesAreTried) {
  const auto changes = find_fitting_changes(job(64, 65'000), 1 << 20);
  ASSERT_TRUE(changes) << to_string(changes.error());
  EXPECT_LE(changes->size(), 1u);
}

}  // namespace
}  // namespace orrery::workload

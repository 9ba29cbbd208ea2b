// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ToWorkload, HasAGraphPerRoleAndTheAxesInUse) {
  Spec spec;
  spec.model.layers = 4;
  spec.model.hidden = 64;
  spec.model.heads = 8;
  spec.model.vocab = 1024;
  spec.parallel.tp = 2;
  spec.parallel.cp = 3;
  spec.parallel.pp = 2;
  spec.batch.seq = 768;
  ASSERT_TRUE(check_spec(spec));
  Findings findings;
  const auto program = assemble(spec, findings);
  ASSERT_TRUE(program);
  const auto made = to_workload(*program);
  ASSERT_TRUE(made);
  const graph::Workload& workload = *made;
  // First, between and last of the ring, on two stages. Order tp-cp-dp-pp.
  EXPECT_THAT(workload.graph_of_rank, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5));
  EXPECT_EQ(workload.graphs.size(), 6u);
  std::vector<std::pair<std::string, std::uint32_t>> axes;
  for (const auto& [name, axis] : workload.axes) {
    EXPECT_EQ(name, axis.name);
    axes.emplace_back(name, axis.extent());
  }
  EXPECT_THAT(axes, UnorderedElementsAre(Pair("tp", 2), Pair("dp", 3), Pair("embedding", 2),
                                         Pair("model", 4)));
  EXPECT_TRUE(workload.groups.empty());
}

TEST(ToWorkload, RefusesMoreRanksThanThereCanBe) {
  Program program;
  program.spec.parallel.dp = std::int64_t{1} << 24;
  program.spec.parallel.pp = 2;
  program.mesh = Mesh(program.spec);
  const auto made = to_workload(program);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
}

TEST(ToWorkload, RefusesMoreNodesThanARankCanHave) {
  Program program;
  program.mesh = Mesh(program.spec);
  program.bodies = {{"body", {Op{}}}};
  Role& role = program.roles.emplace_back();
  role.recipes = {{Segment{0, 1u << 31, -1, 1}}};
  role.tasks = {TaskLoop{{Task{}}, 2, 0}};
  const auto made = to_workload(program);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace orrery::workload

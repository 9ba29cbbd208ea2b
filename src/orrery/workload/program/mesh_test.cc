// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/program/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orrery::workload {
namespace {

using testing::ElementsAre;

Spec cut(std::int64_t tp, std::int64_t cp, std::int64_t dp, std::int64_t pp,
         std::string order = "tp-cp-ep-dp-pp") {
  Spec spec;
  spec.parallel.tp = tp;
  spec.parallel.cp = cp;
  spec.parallel.dp = dp;
  spec.parallel.pp = pp;
  spec.parallel.order = std::move(order);
  return spec;
}

std::vector<std::uint32_t> group(const Mesh& mesh, Axis axis, std::uint32_t rank) {
  const graph::GroupAxis& of = mesh.axis(axis);
  return of.members(of.first(rank));
}

/// Every rank that has a group is in exactly one, at the position that it says.
void expect_partition(const Mesh& mesh, Axis axis) {
  const graph::GroupAxis& of = mesh.axis(axis);
  std::set<std::uint32_t> seen;
  for (std::uint32_t rank = 0; rank < mesh.world(); ++rank) {
    if (!of.has(rank)) continue;
    const std::vector<std::uint32_t> members = of.members(of.first(rank));
    ASSERT_EQ(members.size(), of.extent());
    ASSERT_EQ(members[of.position(rank)], rank) << of.name;
    if (of.first(rank) == rank) {
      for (const std::uint32_t member : members) {
        ASSERT_LT(member, mesh.world()) << of.name;
        EXPECT_TRUE(seen.insert(member).second) << of.name;
      }
    }
  }
  if (axis != Axis::embedding) {
    EXPECT_EQ(seen.size(), mesh.world()) << of.name;
  }
}

TEST(Mesh, StridesFollowTheOrder) {
  const Mesh mesh(cut(2, 3, 5, 7, "pp-dp-tp-ep-cp"));
  EXPECT_EQ(mesh.world(), 210U);
  EXPECT_EQ(mesh.stride(Dim::pp), 1U);
  EXPECT_EQ(mesh.stride(Dim::dp), 7U);
  EXPECT_EQ(mesh.stride(Dim::tp), 35U);
  EXPECT_EQ(mesh.stride(Dim::cp), 70U);
  EXPECT_EQ(mesh.coordinate(35 + 7 * 4 + 6, Dim::pp), 6U);
  EXPECT_EQ(mesh.coordinate(35 + 7 * 4 + 6, Dim::dp), 4U);
  EXPECT_EQ(mesh.coordinate(35 + 7 * 4 + 6, Dim::tp), 1U);
}

TEST(Mesh, GroupsOfTheUsualOrder) {
  const Mesh mesh(cut(2, 2, 2, 2));
  EXPECT_THAT(group(mesh, Axis::tp, 5), ElementsAre(4, 5));
  EXPECT_THAT(group(mesh, Axis::cp, 5), ElementsAre(5, 7));
  EXPECT_THAT(group(mesh, Axis::dp, 5), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(group(mesh, Axis::pp, 5), ElementsAre(5, 13));
  EXPECT_THAT(group(mesh, Axis::model, 5), ElementsAre(4, 5, 12, 13));
  EXPECT_EQ(mesh.extent(Axis::world), 16U);
}

TEST(Mesh, AnyOrderPartitionsTheRanksOnEveryAxis) {
  std::vector<std::string> dims = {"cp", "dp", "ep", "pp", "tp"};
  do {
    const std::string order =
        dims[0] + "-" + dims[1] + "-" + dims[2] + "-" + dims[3] + "-" + dims[4];
    for (const bool own : {false, true}) {
      for (const std::int64_t etp : {1, 2}) {
        Spec spec = cut(2, 2, 6, 3, order);
        spec.parallel.ep = 4;
        spec.parallel.etp = etp;
        spec.parallel.ep_own_axis = own;
        spec.parallel.shard_size = 3;
        const Mesh mesh(spec);
        EXPECT_EQ(mesh.world(), own ? 288U : 72U);
        EXPECT_EQ(mesh.extent(Axis::ep), 4U);
        EXPECT_EQ(mesh.extent(Axis::etp), etp);
        EXPECT_EQ(mesh.extent(Axis::etp) * mesh.extent(Axis::ep) * mesh.extent(Axis::edp) * 3,
                  mesh.world());
        EXPECT_EQ(mesh.extent(Axis::dp_shard), 3U);
        EXPECT_EQ(mesh.extent(Axis::dp_replicate), 4U);
        for (std::size_t axis = 0; axis < kAxes; ++axis)
          expect_partition(mesh, static_cast<Axis>(axis));
      }
    }
  } while (std::next_permutation(dims.begin(), dims.end()));
}

// Megatron-Core: tp 2, ep 4, dp 4, expert tp 1: experts spread over neighboring ranks, tensor
// parallel ones first.
TEST(Mesh, ExpertsTakeTensorParallelRanksWhenTheyAreNotCut) {
  Spec spec = cut(2, 1, 4, 1);
  spec.parallel.ep = 4;
  spec.parallel.etp = 1;
  const Mesh mesh(spec);
  EXPECT_THAT(group(mesh, Axis::ep, 5), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(group(mesh, Axis::edp, 5), ElementsAre(1, 5));
  EXPECT_EQ(mesh.expert_coordinate(5), 1U);
  EXPECT_EQ(mesh.extent(Axis::etp), 1U);
}

TEST(Mesh, ExpertsLeaveTensorParallelRanksWhenTheyAreCut) {
  Spec spec = cut(2, 1, 4, 1);
  spec.parallel.ep = 2;
  const Mesh mesh(spec);
  EXPECT_THAT(group(mesh, Axis::ep, 5), ElementsAre(5, 7));
  EXPECT_THAT(group(mesh, Axis::edp, 5), ElementsAre(1, 5));
  EXPECT_THAT(group(mesh, Axis::etp, 5), ElementsAre(4, 5));
}

// Six copies on three expert-parallel ranks, although two context-parallel neighbors stand inside.
TEST(Mesh, ExpertsSkipDimensionsThatDoNotDivide) {
  Spec spec = cut(1, 2, 3, 1);
  spec.parallel.ep = 3;
  const Mesh mesh(spec);
  EXPECT_THAT(group(mesh, Axis::ep, 1), ElementsAre(1, 3, 5));
  EXPECT_THAT(group(mesh, Axis::edp, 1), ElementsAre(0, 1));
}

TEST(Mesh, AnAxisOfTheirOwnMultipliesTheWorld) {
  Spec spec = cut(2, 1, 2, 2);
  spec.parallel.ep = 2;
  spec.parallel.ep_own_axis = true;
  const Mesh mesh(spec);
  EXPECT_EQ(mesh.world(), 16U);
  EXPECT_THAT(group(mesh, Axis::ep, 0), ElementsAre(0, 2));
  EXPECT_THAT(group(mesh, Axis::edp, 0), ElementsAre(0, 4));
  EXPECT_THAT(group(mesh, Axis::dp, 0), ElementsAre(0, 4));
  EXPECT_EQ(mesh.extent(Axis::model), 8U);
}

TEST(Mesh, HybridShardingSplitsTheCopies) {
  Spec spec = cut(1, 2, 4, 1);
  spec.parallel.shard_size = 4;
  const Mesh mesh(spec);
  EXPECT_THAT(group(mesh, Axis::dp_shard, 5), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(group(mesh, Axis::dp_replicate, 5), ElementsAre(1, 5));
  spec.parallel.shard_size = 0;
  EXPECT_EQ(Mesh(spec).extent(Axis::dp_shard), 8U);
  EXPECT_EQ(Mesh(spec).extent(Axis::dp_replicate), 1U);
}

TEST(Mesh, TiedTablesLieOnTheFirstAndTheLastStage) {
  const Mesh mesh(cut(2, 1, 1, 4));
  EXPECT_THAT(group(mesh, Axis::embedding, 7), ElementsAre(1, 7));
  EXPECT_FALSE(mesh.axis(Axis::embedding).has(3));
  EXPECT_THAT(group(Mesh(cut(2, 1, 1, 2)), Axis::embedding, 3), ElementsAre(1, 3));
  EXPECT_EQ(Mesh(cut(2, 1, 1, 1)).extent(Axis::embedding), 1U);
}

TEST(Mesh, AxesAreCalledAsTheyAreWritten) {
  const Mesh mesh(cut(1, 1, 1, 1));
  EXPECT_EQ(name(Axis::dp_replicate), "dp_replicate");
  EXPECT_EQ(name(Axis::world), "world");
  EXPECT_EQ(mesh.axis(Axis::edp).name, "edp");
}

}  // namespace
}  // namespace orrery::workload

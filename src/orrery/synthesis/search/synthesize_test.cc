// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/synthesize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>

#include "orrery/core/effort_testing.h"
#include "orrery/synthesis/fabric/fabric_state_testing.h"

namespace orrery::synthesis {
namespace {

using enum graph::CollectiveType;

SynthesisQuestion asked(CollectiveType type, Bytes bytes = Bytes(1 << 30)) {
  SynthesisQuestion question;
  question.type = type;
  question.bytes = bytes;
  return question;
}

/// Valid, and not below its bound; by how much it is above it.
double gap(const FabricState& fabric, const SynthesisQuestion& question) {
  const Result<Synthesis> made = synthesize(fabric, question);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  if (!made) return 1e9;
  EXPECT_EQ(schedule_error(fabric, made->schedule), "") << graph::name(question.type);
  EXPECT_EQ(made->time, made->schedule.end());
  EXPECT_GE(made->time, made->bound.total) << made->bound.binding_cut.name;
  return static_cast<double>(made->time.count()) / static_cast<double>(made->bound.total.count()) -
         1;
}

SynthesisQuestion searched(CollectiveType type) {
  SynthesisQuestion question = asked(type);
  question.constructions = false;
  return question;
}

TEST(Synthesis, ToriByRuleAreAtTheirBound) {
  for (const CollectiveType type : {all_gather, reduce_scatter, all_reduce, all_to_all}) {
    EXPECT_LT(gap(torus({8}), asked(type)), 1e-4) << graph::name(type);
    EXPECT_LT(gap(torus({8, 8}), asked(type)), 1e-4) << graph::name(type);
    EXPECT_LT(gap(torus({4, 4, 4}), asked(type)), 1e-4) << graph::name(type);
  }
  EXPECT_LT(gap(torus({16, 16}), asked(all_gather)), 0.005);
  EXPECT_LT(gap(torus({2, 4, 3}), asked(all_to_all)), 0.35);  // odd sizes do not halve
  EXPECT_LT(gap(torus({2, 4, 3}), asked(all_reduce)), 0.02);
}

TEST(Synthesis, MeshesByRuleAreCloseToTheirBound) {
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{
           {8, 8}, {15, 15}, {16, 16}, {150}, {6, 6, 6}, {4, 4, 4, 4}}) {
    for (const CollectiveType type : {all_gather, reduce_scatter}) {
      const auto made = synthesize(mesh(sizes), asked(type));
      ASSERT_TRUE(made);
      EXPECT_LT(gap(mesh(sizes), asked(type)), 0.005) << graph::name(type) << ' ' << made->method;
      EXPECT_EQ(made->method.starts_with("mesh"), sizes[0] != 8) << made->method;
    }
  }
  // Where latency is all, a piece goes straight.
  EXPECT_LT(gap(mesh({8, 8}), asked(all_gather, Bytes(64 * 64))), 0.01);
  // Unequal sides are searched.
  EXPECT_LT(gap(mesh({4, 16}), asked(all_gather)), 0.02);
}

TEST(Synthesis, GridsAreSearchedCloseToTheirBound) {
  EXPECT_LT(gap(torus({16, 16}), searched(all_gather)), 0.02);
  EXPECT_LT(gap(mesh({16, 16}), searched(all_gather)), 0.005);
  EXPECT_LT(gap(mesh({8, 8}), searched(reduce_scatter)), 0.005);
  EXPECT_LT(gap(mesh({8, 8}), searched(all_to_all)), 0.02);
  EXPECT_LT(gap(torus({8, 8}), searched(all_to_all)), 0.03);
  EXPECT_LT(gap(torus({8, 8}), searched(all_reduce)), 0.01);
  EXPECT_LT(gap(torus({4, 4}), searched(broadcast)), 0.05);
}

// A reduce-scatter leaves a mesh's corners half idle: in parts, the gather uses that.
TEST(Synthesis, AllReducesInPartsUseBothDirections) {
  EXPECT_LT(gap(mesh({8, 8}), asked(all_reduce)), 0.30);
}

TEST(Synthesis, HostsTakeEachPieceOnce) {
  EXPECT_LT(gap(rails(8), asked(all_gather)), 0.03);
  EXPECT_LT(gap(rails(2), asked(all_reduce)), 0.08);
  EXPECT_LT(gap(rails(8), asked(all_to_all)), 0.01);
}

// Four switches side by side carry four pieces of a device at once.
TEST(Synthesis, AllSwitchesOfAHostAreUsed) {
  const platform::HostShape host{1, 16, platform::HostInterconnect::switched, 4, cable(450, 200),
                                 0, {}};
  const FabricState fabric = fabric_state_for(platform::generate("host", {host}, {}, "host"));
  EXPECT_LT(gap(fabric, asked(all_to_all)), 0.10);
  EXPECT_LT(gap(fabric, asked(all_gather)), 0.02);
}

TEST(Synthesis, SeveralGroupsAtOnce) {
  const FabricState fabric = torus({4, 4});
  for (const CollectiveType type :
       {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce}) {
    SynthesisQuestion question = asked(type, Bytes(1'000'003));
    question.groups = {{0, 1, 2, 3}, {4, 5, 6, 7}};  // apart
    (void)gap(fabric, question);
    question.groups = {{0, 5, 10}};  // members that only others join
    (void)gap(fabric, question);
    question.groups = {{0, 1, 2, 3}, {2, 3, 4, 5}};  // some in both
    (void)gap(fabric, question);
    question.root = 2;
    (void)gap(fabric, question);
  }
}

// Groups that have to share links are held against what these carry for all of them.
TEST(Synthesis, GroupsThatShareLinksAreCloseToTheirBound) {
  const FabricState fabric = torus({8});
  SynthesisQuestion question = asked(all_gather);
  question.constructions = false;
  question.groups = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  EXPECT_LT(gap(fabric, question), 0.02);
  question.groups = {{0, 2, 4, 6}, {1, 3, 5, 7}};
  EXPECT_LT(gap(fabric, question), 0.02);
  question.type = all_to_all;
  EXPECT_LT(gap(fabric, question), 0.05);
}

// Without others, ranks that only these join have no way.
TEST(Synthesis, OthersHandOnOnlyWhereTheyMay) {
  const FabricState fabric = torus({4, 4});
  for (const CollectiveType type : {all_gather, all_to_all}) {
    SynthesisQuestion question = asked(type);
    question.groups = {{0, 5, 10}};
    question.relays = false;
    const auto none = synthesize(fabric, question);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::config_conflict);
    question.groups = {{0, 1, 2, 3}};
    const auto alone = synthesize(fabric, question);
    ASSERT_TRUE(alone);
    for (const Route& route : alone->schedule.routes) EXPECT_TRUE(route.from < 4 && route.to < 4);
  }
}

// Anything that hangs together: unequal links, switches, some links down, some at half.
TEST(Synthesis, RandomFabricsWithFailures) {
  std::map<CollectiveType, std::vector<double>> gaps;
  const std::uint64_t fabrics = core_testing::case_count(200, 60);
  for (std::uint64_t seed = 0; seed < fabrics; ++seed) {
    const auto size = static_cast<std::uint32_t>(seed % 11);
    const FabricState fabric =
        random_fabric(seed, {.devices = 3 + size,
                             .switches = static_cast<std::uint32_t>(seed % 4),
                             .more_links = size,
                             .down = 3,
                             .equivalent = seed % 3 == 0});
    constexpr std::array kTypes = {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast};
    const CollectiveType type = kTypes[seed % kTypes.size()];
    SynthesisQuestion question = asked(type, Bytes(64 << 20));
    question.seed = seed;
    gaps[type].push_back(gap(fabric, question));
  }
  for (auto& [type, all] : gaps) {
    std::sort(all.begin(), all.end());
    const double median = all[all.size() / 2];
    std::cout << graph::name(type) << ": " << all.size() << " fabrics, above the bound by "
              << 100 * median << " % (median), " << 100 * all.back() << " % (worst)\n";
    EXPECT_LT(median, 0.6) << graph::name(type);
  }
}

TEST(Synthesis, TheSameQuestionHasTheSameAnswer) {
  const FabricState fabric = random_fabric(7, {.devices = 12, .switches = 3, .more_links = 10});
  for (const CollectiveType type : {all_gather, all_to_all}) {
    const auto one = synthesize(fabric, asked(type)), two = synthesize(fabric, asked(type));
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->schedule.sends.size(), two->schedule.sends.size());
    for (std::size_t i = 0; i < one->schedule.sends.size(); ++i) {
      EXPECT_EQ(one->schedule.sends[i].piece, two->schedule.sends[i].piece);
      EXPECT_EQ(one->schedule.sends[i].start, two->schedule.sends[i].start);
    }
  }
}

TEST(Synthesis, WhatIsTooLargeIsSaid) {
  for (const CollectiveType type : {all_gather, all_to_all}) {
    const auto none = synthesize(torus({96, 96}), asked(type));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::limit_exceeded);
  }
}

TEST(Synthesis, FewBytesAndNone) {
  const FabricState fabric = torus({4, 4});
  (void)gap(fabric, asked(all_gather, Bytes(5)));
  for (const CollectiveType type :
       {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast}) {
    const auto none = synthesize(fabric, asked(type, Bytes(0)));
    ASSERT_TRUE(none);
    EXPECT_EQ(none->time, Time{});
    EXPECT_TRUE(none->schedule.sends.empty());
  }
}

TEST(Synthesis, WhatCannotBeIsSaid) {
  const FabricState fabric = torus({4, 4});
  const auto answer = synthesize(fabric, asked(CollectiveType::barrier));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::synthesis

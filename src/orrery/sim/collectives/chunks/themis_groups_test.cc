// SPDX-License-Identifier: Apache-2.0
//
// Themis where collectives are those of groups, and where dimensions have more links than one.
#include <gtest/gtest.h>

#include <set>

#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::InterDimension;
using testing::Rank;

constexpr std::int64_t kGroupBytes = std::int64_t{1} << 28;

platform::Dimension group_dimension(Block block, std::int64_t size, double gigabytes) {
  return {block, size, Bandwidth(gigabytes * 1e9), 0};
}

platform::Platform themis_machine(std::vector<platform::Dimension> dims, InterDimension order) {
  platform::Platform made = testing::line(Block::switched, 2);
  made.dims = std::move(dims);
  auto& config = made.collectives;
  config.splits = 64;
  config.inter_dimension = order;
  config.intra_dimension = platform::IntraDimension::smallest_first;
  config.all_reduce.per_dim.clear();
  for (const platform::Dimension& dim : made.dims)
    config.all_reduce.per_dim.push_back(
        {dim.block == Block::fully_connected ? Algorithm::direct : Algorithm::halving_doubling,
         -1});
  config.all_gather = config.reduce_scatter = config.all_reduce;
  return made;
}

/// Every rank's all-reduce in its group: `groups` lists them.
graph::Workload in_groups(const std::vector<std::vector<std::uint32_t>>& groups) {
  std::uint32_t count = 0;
  for (const auto& group : groups) count += static_cast<std::uint32_t>(group.size());
  std::vector<Rank> ranks(count);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::uint32_t rank : groups[g])
      ranks[rank].coll(CollectiveType::all_reduce, kGroupBytes, {}, "g" + std::to_string(g));
  graph::Workload made = testing::workload(ranks);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::string name = "g" + std::to_string(g);
    made.groups[name] = {name, groups[g]};
  }
  return made;
}

std::vector<std::uint32_t> every(std::uint32_t first, std::uint32_t count, std::uint32_t step) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t i = 0; i < count; ++i) ranks.push_back(first + i * step);
  return ranks;
}

Time group_end(const graph::Workload& work, const platform::Platform& on, bool fold = true) {
  Options options;
  options.fold = fold;
  const auto made = simulate(work, on, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->end : Time{};
}

// Groups of 16 in two dimensions of three take what a machine of these two dimensions takes, in
// whatever order: in the inner two (dimensions 0 and 1) and in the outer two (1 and 2, which are
// the group's first and second). Four groups at once do not see each other's loads.
TEST(ThemisGroups, GoAsAMachineOfTheirDimensions) {
  const platform::Dimension a = group_dimension(Block::switched, 4, 100);
  const platform::Dimension b = group_dimension(Block::switched, 4, 50);
  const platform::Dimension c = group_dimension(Block::switched, 4, 25);
  std::vector<std::vector<std::uint32_t>> inner, outer;
  for (std::uint32_t g = 0; g < 4; ++g) {
    inner.push_back(every(16 * g, 16, 1));
    outer.push_back(every(g, 16, 4));
  }
  for (const InterDimension order :
       {InterDimension::themis, InterDimension::themis_published, InterDimension::themis_flex}) {
    const auto whole = themis_machine({a, b, c}, order);
    const std::vector<std::vector<std::uint32_t>> all{every(0, 16, 1)};
    const Time two_inner = group_end(in_groups(inner), whole);
    const Time two_outer = group_end(in_groups(outer), whole);
    EXPECT_EQ(two_inner, group_end(in_groups(all), themis_machine({a, b}, order)));
    EXPECT_EQ(two_outer, group_end(in_groups(all), themis_machine({b, c}, order)));
    EXPECT_EQ(two_inner, group_end(in_groups(inner), whole, false)) << "folded or not";
    EXPECT_EQ(two_outer, group_end(in_groups(outer), whole, false)) << "folded or not";
    const auto fixed = themis_machine({a, b, c}, InterDimension::ascending);
    EXPECT_LT(two_inner.count(), group_end(in_groups(inner), fixed).count());
    EXPECT_LT(two_outer.count(), group_end(in_groups(outer), fixed).count());
  }
}

// A rank has three links of 30 GB/s into a fully connected dimension of four, 90 GB/s in all: what
// a switch's port of 90 GB/s carries, and so both are loaded alike.
TEST(ThemisGroups, FullyConnectedDimensionsCountAllLinks) {
  for (const InterDimension order : {InterDimension::themis, InterDimension::themis_published}) {
    const platform::Dimension other = group_dimension(Block::switched, 4, 60);
    const auto all = in_groups({every(0, 16, 1)});
    const Time links = group_end(
        all, themis_machine({group_dimension(Block::fully_connected, 4, 30), other}, order));
    const Time port =
        group_end(all, themis_machine({group_dimension(Block::switched, 4, 90), other}, order));
    EXPECT_NEAR(static_cast<double>(links.count()), static_cast<double>(port.count()),
                static_cast<double>(port.count()) * 1e-6);
  }
}

// Under ASTRA rules groups keep the fixed order: they are one ring.
TEST(ThemisGroups, AreLeftAloneUnderAstraRules) {
  auto themis = themis_machine(
      {group_dimension(Block::switched, 4, 100), group_dimension(Block::switched, 4, 50)},
      InterDimension::themis);
  themis.rules = platform::Rules::astra;
  auto fixed = themis;
  fixed.collectives.inter_dimension = InterDimension::ascending;
  const auto work = in_groups({every(0, 8, 1), every(8, 8, 1)});
  EXPECT_EQ(group_end(work, themis), group_end(work, fixed));
}

}  // namespace
}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/job_traffic.h"

#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "orrery/graph/builder.h"

namespace orrery::split_bandwidth {
namespace {

using graph::CollectiveType;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::int64_t> kSizes{2, 8, 8, 8};

TEST(Traffic, GroupsAreGridsOfTheDimensions) {
  const std::vector<std::int64_t> sizes{2, 4};
  const std::vector<std::uint32_t> row{2, 3}, column{1, 3, 5, 7}, half{0, 1, 4, 5}, none{0, 3};
  EXPECT_THAT(*extents_of(row, sizes), ElementsAre(2, 1));
  EXPECT_THAT(*extents_of(column, sizes), ElementsAre(1, 4));
  EXPECT_THAT(*extents_of(half, sizes), ElementsAre(2, 2));
  EXPECT_FALSE(extents_of(none, sizes));
}

TEST(Traffic, GroupsByStrideFillDimensionsOrParts) {
  EXPECT_THAT(*extents_of(128, 1, kSizes, ""), ElementsAre(2, 8, 8, 1));
  EXPECT_THAT(*extents_of(8, 128, kSizes, ""), ElementsAre(1, 1, 1, 8));
  EXPECT_THAT(*extents_of(64, 16, kSizes, ""), ElementsAre(1, 1, 8, 8));
  EXPECT_THAT(*extents_of(1024, 1, kSizes, ""), ElementsAre(2, 8, 8, 8));
  const std::vector<std::int64_t> two{8, 128};
  EXPECT_THAT(*extents_of(16, 1, two, ""), ElementsAre(8, 2));
  EXPECT_THAT(*extents_of(64, 16, two, ""), ElementsAre(1, 64));
  for (const auto& [ranks, stride] : {std::pair{3, 1}, {2048, 1}, {8, 3}, {16, 128}, {0, 1}})
    EXPECT_THAT(to_string(extents_of(ranks, stride, kSizes, "here").error()), HasSubstr("here: "))
        << ranks << " " << stride;
}

TEST(Traffic, BytesGoDimensionByDimension) {
  EXPECT_THAT(bytes_sent(CollectiveType::all_reduce, 128, {2, 8, 1}), ElementsAre(128, 112, 0));
  EXPECT_THAT(bytes_sent(CollectiveType::reduce_scatter, 128, {2, 8, 1}), ElementsAre(64, 56, 0));
  EXPECT_THAT(bytes_sent(CollectiveType::all_gather, 8, {2, 8, 1}), ElementsAre(64, 56, 0));
  EXPECT_THAT(bytes_sent(CollectiveType::all_to_all, 128, {2, 8, 1}), ElementsAre(64, 112, 0));
  EXPECT_THAT(bytes_sent(CollectiveType::broadcast, 128, {2, 8, 1}), ElementsAre(0, 0, 0));
}

/// Two ranks of eight do more than the others.
graph::Workload two_kinds() {
  graph::Workload work;
  const auto strings = std::make_shared<StringPool>();
  for (const int repeats : {1, 3}) {
    graph::GraphBuilder builder("g", strings, graph::Repair::refuse);
    graph::NodeSpec node;
    node.id = 0;
    for (int i = 0; i < repeats; ++i) {
      ++node.id;
      node.kind = graph::NodeKind::coll;
      node.flags = graph::kHasCommType | graph::kHasCommSize;
      node.collective.size = Bytes(800);
      node.collective.group = strings->intern("tp");
      builder.add(node);
    }
    ++node.id;
    node.collective.group = strings->intern("odd");
    builder.add(node);
    ++node.id;
    node.collective.type = CollectiveType::broadcast;
    builder.add(node);
    ++node.id;
    node.kind = graph::NodeKind::send;
    node.flags = graph::kHasDst | graph::kHasCommSize | graph::kPeerRelative;
    node.message.dst = 5;
    node.message.size = Bytes(7);
    builder.add(node);
    Findings findings;
    work.graphs.push_back(
        std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
  }
  work.graph_of_rank = {0, 0, 1, 1, 0, 0, 0, 0};
  work.axes["tp"] = {"tp", {{1, 2, 1}}};
  work.groups["odd"] = {"odd", {0, 3}};
  return work;
}

TEST(Traffic, OfAJobIsThatOfTheRankThatSendsForLongest) {
  const std::vector<std::int64_t> sizes{2, 4};
  const JobTraffic traffic = traffic_of(two_kinds(), sizes);
  EXPECT_EQ(traffic.rank, 2u);
  EXPECT_EQ(traffic.irregular_groups, 1u);
  EXPECT_EQ(traffic.unknown, 1u);
  ASSERT_EQ(traffic.demands.size(), 3u);
  EXPECT_THAT(traffic.demands[0].bytes, ElementsAre(7, 7));
  EXPECT_THAT(traffic.demands[1].bytes, ElementsAre(800, 0));
  EXPECT_EQ(traffic.demands[1].times, 3);
  EXPECT_THAT(traffic.demands[2].bytes, ElementsAre(800, 800));
}

}  // namespace
}  // namespace orrery::split_bandwidth

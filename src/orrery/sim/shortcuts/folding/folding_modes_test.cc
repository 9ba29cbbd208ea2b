// SPDX-License-Identifier: Apache-2.0
//
// One rank for all that are alike, and another mode: each of these once came to a halt, and was
// only saved by being simulated again with every rank.
#include <gtest/gtest.h>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using testing::line;
using testing::Rank;

/// In the first attempt or not at all.
Result<SimResult> folded_once(const graph::Workload& workload, const platform::Platform& platform,
                              bool closed_forms = false) {
  Options options;
  options.fold = true;
  options.max_repeated_nodes = 0;
  options.closed_forms = closed_forms;
  return simulate(workload, platform, options);
}

void expect_the_same(const graph::Workload& workload, const platform::Platform& platform,
                     std::uint32_t representatives) {
  for (const bool closed_forms : {false, true}) {
    const auto folded = folded_once(workload, platform, closed_forms);
    ASSERT_TRUE(folded.has_value()) << to_string(folded.error());
    EXPECT_FALSE(folded->stall.has_value());
    EXPECT_EQ(folded->savings.representatives, representatives) << folded->savings.unfolded_reason;
    Options every_rank;
    every_rank.closed_forms = closed_forms;
    const auto all = simulate(workload, platform, every_rank);
    ASSERT_TRUE(all.has_value() && !all->stall);
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      EXPECT_EQ(folded->ranks[rank].finish, all->ranks[rank].finish) << "rank " << rank;
    EXPECT_EQ(folded->messages, all->messages);
    EXPECT_EQ(folded->findings.count(FindingCode::chunk_order_resolved),
              all->findings.count(FindingCode::chunk_order_resolved));
  }
}

/// Copies of three ranks: the first two run a collective that the third has not issued, and no rank
/// has begun the one that the third waits for.
graph::Workload crossed(std::uint32_t copies) {
  std::vector<Rank> ranks(copies * 3);
  graph::Workload groups;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    const std::uint32_t first = copy * 3;
    const auto group = [&](const char* name, std::vector<std::uint32_t> members) {
      const std::string own = name + std::to_string(copy);
      groups.groups[own] = {own, std::move(members)};
      return own;
    };
    const std::string x = group("x", {first, first + 2}), y = group("y", {first, first + 1}),
                      z = group("z", {first + 1, first + 2});
    ranks[first].coll(CollectiveType::all_reduce, 3000, {}, x);
    const auto met = ranks[first].coll(CollectiveType::all_reduce, 3000, {}, y);
    ranks[first].send(2, 100, 0, {met}, true);
    ranks[first + 1].coll(CollectiveType::all_reduce, 3000, {}, z);
    ranks[first + 1].coll(CollectiveType::all_reduce, 3000, {}, y);
    const auto predicted = ranks[first + 2].recv(-2, 100, 0, {}, true);
    ranks[first + 2].coll(CollectiveType::all_reduce, 3000, {predicted}, x);
    ranks[first + 2].coll(CollectiveType::all_reduce, 3000, {predicted}, z);
  }
  graph::Workload workload = testing::workload(ranks);
  workload.groups = groups.groups;
  return workload;
}

TEST(FoldedModes, RanksThatWaitForEachOtherAreHelped) {
  const graph::Workload workload = crossed(4);
  platform::Platform platform = line(Block::switched, 12);
  platform.collectives.policy = platform::SchedulingPolicy::fifo;
  expect_the_same(workload, platform, 3);
  EXPECT_GT(folded_once(workload, platform)->findings.count(FindingCode::chunk_order_resolved), 0u);
}

// Copies of two ranks that issue chunks of two groups at one time, in two orders. In every other
// copy the ranks' places are changed. `rotated`: so are the groups' names in the last one.
graph::Workload tied(std::uint32_t copies, bool rotated) {
  std::vector<Rank> ranks(copies * 2);
  graph::Workload groups;
  for (std::uint32_t copy = 0; copy < copies; ++copy) {
    const std::uint32_t first = copy * 2;
    const bool other_names = rotated && copy + 1 == copies;
    const std::string x = (other_names ? "y" : "x") + std::to_string(copy),
                      y = (other_names ? "x" : "y") + std::to_string(copy);
    for (const std::string& name : {x, y}) groups.groups[name] = {name, {first, first + 1}};
    for (const std::uint32_t place : {0u, 1u}) {
      Rank& rank = ranks[first + (place + copy) % 2];
      const auto computed = rank.comp(us(1));
      for (const bool large : {place != 0, place == 0}) {
        rank.coll(CollectiveType::all_reduce, large ? 80'000 : 3'000, {computed}, large ? y : x);
      }
    }
  }
  graph::Workload workload = testing::workload(ranks);
  workload.groups = groups.groups;
  return workload;
}

TEST(FoldedModes, ChunksOfSeveralGroupsTie) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct}) {
    platform::Platform platform = line(Block::switched, 8, algorithm);
    platform.collectives.policy = platform::SchedulingPolicy::explicit_priority;
    for (const auto order : {platform::IntraDimension::fifo, platform::IntraDimension::rg,
                             platform::IntraDimension::less_remaining_phases_first,
                             platform::IntraDimension::smallest_first}) {
      platform.collectives.intra_dimension = order;
      for (const std::int64_t queues : {1, 2, 4}) {
        platform.collectives.queues_per_dim = queues;
        expect_the_same(tied(4, false), platform, 2);
        expect_the_same(tied(4, true), platform, 4);
      }
    }
  }
}

TEST(FoldedModes, ReceiversAnnounceThemselves) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling,
                                    Algorithm::double_binary_tree}) {
    for (const CollectiveType type : {CollectiveType::all_reduce, CollectiveType::all_gather}) {
      const bool tree = algorithm == Algorithm::double_binary_tree;
      if (tree && type != CollectiveType::all_reduce) continue;
      Rank rank;
      rank.coll(type, 80'000, {rank.comp(us(1))});
      platform::Platform platform = line(Block::switched, 8, algorithm);
      platform.collectives.rendezvous = true;
      platform.collectives.splits = 3;
      expect_the_same(testing::replicated(rank, 8), platform, tree ? 8 : 1);
    }
  }
}

// Two trees side by side: places of one tree differ, those of the other are like them.
TEST(FoldedModes, TreesOfSeveralGroupsAnnounceThemselves) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r)
    ranks[r].coll(CollectiveType::all_reduce, 80'000, {ranks[r].comp(us(1))}, r < 4 ? "a" : "b");
  graph::Workload workload = testing::workload(ranks);
  workload.groups["a"] = {"a", {0, 1, 2, 3}};
  workload.groups["b"] = {"b", {4, 5, 6, 7}};
  platform::Platform platform = line(Block::switched, 4, Algorithm::double_binary_tree);
  platform.dims.push_back({Block::switched, 2, Bandwidth(1e9), 1000.0});
  for (auto* plan : {&platform.collectives.all_reduce, &platform.collectives.all_gather,
                     &platform.collectives.reduce_scatter, &platform.collectives.all_to_all})
    plan->per_dim.push_back({Algorithm::ring, -1});
  for (const bool rendezvous : {false, true}) {
    for (const bool late : {false, true}) {
      platform.collectives.rendezvous = rendezvous;
      platform.deviations.clear();
      if (late) platform.deviations.push_back({.ranks = {1, 5}, .start = us(1000)});
      expect_the_same(workload, platform, 4);
    }
  }
}

TEST(FoldedModes, SomeRanksAreLate) {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling}) {
    Rank rank;
    rank.coll(CollectiveType::all_reduce, 80'000);
    const graph::Workload workload = testing::replicated(rank, 4);
    platform::Platform platform = line(Block::ring, 4, algorithm);
    platform.deviations.push_back({.ranks = {0, 2}, .start = us(1000)});
    expect_the_same(workload, platform, 2);
  }
}

// Ranks that never finish are reported from a run of all ranks, or not at all.
TEST(FoldedModes, OnlyEveryRankIsSaidToStall) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    const auto computed = ranks[r].comp(us(1));
    if (r % 4 != 3) ranks[r].coll(CollectiveType::all_reduce, 100, {computed});
  }
  const graph::Workload workload = testing::workload(ranks);
  const platform::Platform platform = line(Block::ring, 8);
  const auto once = folded_once(workload, platform);
  ASSERT_FALSE(once.has_value());
  EXPECT_EQ(once.error().code, Errc::limit_exceeded);
  Options options;
  options.fold = true;
  const auto predicted = simulate(workload, platform, options);
  ASSERT_TRUE(predicted.has_value() && predicted->stall.has_value());
  EXPECT_EQ(predicted->stall->unfinished_ranks, 6u);
  EXPECT_EQ(predicted->savings.representatives, 8u);
  EXPECT_EQ(predicted->savings.unfolded_reason, "the job cannot finish");
}

// A group that lists all ranks has them all, whatever dimensions a collective asks for.
TEST(FoldedModes, AGroupOfAllRanksTakesAllDimensions) {
  for (const platform::Rules rules : {platform::Rules::orrery, platform::Rules::astra}) {
    std::vector<Time> ends;
    for (const std::uint32_t mask : {0u, 1u, 3u}) {
      Rank rank;
      rank.coll(CollectiveType::all_reduce, 80'000, {}, "everybody");
      graph::Workload workload = testing::replicated(rank, 8);
      graph::GraphBuilder builder("masked", std::make_shared<StringPool>(), graph::Repair::refuse);
      graph::NodeSpec node;
      node.id = 1;
      node.kind = graph::NodeKind::coll;
      node.flags = graph::kHasCommType | graph::kHasCommSize | graph::kHasDims;
      node.collective.type = CollectiveType::all_reduce;
      node.collective.size = Bytes(80'000);
      node.collective.group = builder.strings().intern("everybody");
      node.collective.dims_mask = mask;
      node.collective.dims_count = 2;
      builder.add(node);
      Findings findings;
      auto graph = std::move(builder).finish(findings);
      ASSERT_TRUE(graph.has_value());
      workload.graphs = {std::make_shared<const graph::Graph>(std::move(*graph))};
      workload.groups["everybody"] = {"everybody", {0, 1, 2, 3, 4, 5, 6, 7}};
      platform::Platform platform = line(Block::ring, 4);
      platform.rules = rules;
      platform.dims.push_back({Block::switched, 2, Bandwidth(1e9), 1000.0});
      platform.collectives.all_reduce.per_dim.push_back({Algorithm::ring, -1});
      const auto result = folded_once(workload, platform);
      ASSERT_TRUE(result.has_value()) << to_string(result.error());
      ends.push_back(result->end);
    }
    EXPECT_EQ(ends[0], ends[2]);
    EXPECT_EQ(ends[1], ends[2]);
    EXPECT_GT(ends[0], Time{});
  }
}

/// The same with messages that share ports.
void expect_the_same_flows(const graph::Workload& workload, platform::Platform platform,
                           std::uint32_t representatives) {
  platform.network = NetworkModelKind::flow;
  expect_the_same(workload, platform, representatives);
}

// A receiver names the rank that sends to it, which need not be the simulated one of its class.
TEST(FoldedModes, MessagesOfAClassMeetOnItsPorts) {
  // Two senders exchange messages, and each sends to a receiver of its own: they leave by one port.
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    if (r < 4) {
      const std::int32_t mate = r % 2 == 0 ? 1 : -1;
      ranks[r].send(mate, 40'000, 1, {}, true);
      ranks[r].recv(mate, 40'000, 1, {}, true);
      ranks[r].send(4, 30'000, 2, {}, true);
    } else {
      ranks[r].recv(-4, 30'000, 2, {}, true);
    }
  }
  expect_the_same_flows(testing::workload(ranks), line(Block::switched, 8), 2);
}

TEST(FoldedModes, MessagesAndCollectivesOfAClassMeetOnTheirLinks) {
  for (const Block block : {Block::ring, Block::fully_connected}) {
    std::vector<Rank> ranks(8);
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      const auto next = static_cast<std::int32_t>((r + 1) % ranks.size());
      const auto before = static_cast<std::int32_t>((r + ranks.size() - 1) % ranks.size());
      ranks[r].send(next, 40'000, 1);
      ranks[r].recv(before, 40'000, 1);
      ranks[r].coll(CollectiveType::all_reduce, 80'000);
    }
    expect_the_same_flows(testing::workload(ranks), line(block, 8), 1);
  }
}

/// The same with messages that wait for each other, under these rules.
void expect_the_same_queues(const graph::Workload& workload, platform::Platform platform,
                            std::uint32_t representatives) {
  platform.network = NetworkModelKind::message;
  expect_the_same(workload, platform, representatives);
}

TEST(FoldedModes, MessagesOfAClassWaitOnItsLinks) {
  for (const platform::Rules rules : {platform::Rules::orrery, platform::Rules::astra}) {
    for (const Block block : {Block::ring, Block::fully_connected, Block::switched}) {
      for (const std::int64_t chunks : {1, 4}) {
        Rank rank;
        rank.coll(CollectiveType::all_reduce, 80'000);
        platform::Platform platform = line(block, 8);
        platform.rules = rules;
        platform.collectives.splits = platform.collectives.active_chunks = chunks;
        platform.collectives.endpoint_delay = ns(10);
        expect_the_same_queues(testing::replicated(rank, 8), platform, 1);
      }
    }
  }
}

// Four devices share one link of their host: one message waits for the other.
TEST(FoldedModes, EquivalentRanksThatShareALinkDiffer) {
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\ncollectives: {library: ideal}\n"
      "fabric: {hosts: [{count: 4, devices: 4, nics: 1, scale_up: {bandwidth: 300 GB/s, latency: "
      "256 ns}, pcie: {bandwidth: 128 GB/s, latency: 64 ns}}], network: {kind: switch, port: "
      "{bandwidth: 100 GB/s, latency: 512 ns}}}",
      "test", findings);
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  std::vector<Rank> ranks(16);
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    ranks[r].send(static_cast<std::int32_t>((r + 4) % 16), 40'000, 1);
    ranks[r].recv(static_cast<std::int32_t>((r + 12) % 16), 40'000, 1);
  }
  expect_the_same_queues(testing::workload(ranks), *made, 4);
}

/// Two triples of ranks: two send to the third at once, which computes when the first message is
/// there. `crossed`: the senders of the second triple have changed places.
graph::Workload two_to_one(bool crossed) {
  std::vector<Rank> ranks(6);
  for (const std::uint32_t first : {0u, 3u}) {
    const bool changed = crossed && first == 3;
    const std::uint32_t one = first + (changed ? 1 : 0), other = first + (changed ? 0 : 1);
    ranks[one].send(static_cast<std::int32_t>(first + 2), 40'000, 1);
    ranks[other].send(static_cast<std::int32_t>(first + 2), 30'000, 2);
    ranks[other].comp(us(1));
    Rank& receiver = ranks[first + 2];
    receiver.comp(us(5), {receiver.recv(static_cast<std::int32_t>(one), 40'000, 1)});
    receiver.recv(static_cast<std::int32_t>(other), 30'000, 2);
  }
  return testing::workload(ranks);
}

// Messages of several ranks reach a link in one tick, and the lower rank is first.
TEST(FoldedModes, TheOrderOfRanksAtALinkCounts) {
  platform::Platform platform = line(Block::switched, 6);
  platform.dims[0].latency_ns = 0;
  // Both messages reach the second link at once: the ports of the first have been made so.
  platform.deviations.push_back({.ranks = {1, 4}, .ports = {{.dim = 0, .bandwidth = 0.75}}});
  expect_the_same_queues(two_to_one(false), platform, 3);
  platform.deviations[0].ranks = {1, 3};
  expect_the_same_queues(two_to_one(true), platform, 6);
}

TEST(FoldedModes, MessagesThatMeetAtALinkUnderAstraRulesAreNotFolded) {
  platform::Platform platform = line(Block::switched, 6);
  platform.rules = platform::Rules::astra;
  platform.network = NetworkModelKind::message;
  std::vector<Rank> ranks(6);
  for (const std::uint32_t first : {0u, 3u}) {
    for (const std::uint32_t sender : {first, first + 1}) {
      if (sender > first) ranks[sender].comp(ns(0));
      ranks[sender].send(static_cast<std::int32_t>(first + 2), 40'000, sender - first);
      ranks[first + 2].recv(static_cast<std::int32_t>(sender), 40'000, sender - first);
    }
  }
  Options options;
  options.fold = true;
  const auto made = simulate(testing::workload(ranks), platform, options);
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(made->savings.representatives, 6u);
  EXPECT_EQ(made->savings.unfolded_reason,
            "messages of several ranks reach a link at the same time");
  EXPECT_EQ(made->savings.inexact_representatives, 3u);
}

// Two ranks send to one, and nobody receives: the port of that rank carries both messages.
TEST(FoldedModes, MessagesThatNoRankReceivesAreNotEven) {
  std::vector<Rank> ranks(4);
  ranks[0].send(2, 40'000);
  ranks[1].send(2, 40'000);
  ranks[2].comp(us(1));
  ranks[3].comp(us(1));
  const graph::Workload workload = testing::workload(ranks);
  expect_the_same_flows(workload, line(Block::switched, 4), 4);
  expect_the_same(workload, line(Block::switched, 4), 2);
}

}  // namespace
}  // namespace orrery::sim

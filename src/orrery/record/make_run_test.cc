// SPDX-License-Identifier: Apache-2.0
#include "orrery/record/make_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/sim/expansion_testing.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::record {
namespace {

using graph::CollectiveType;
using platform::Block;
using result::Span;
using result::SpanKind;
using sim::testing::line;
using sim::testing::Rank;

result::Run run_of(const graph::Workload& workload, const platform::Platform& platform) {
  sim::Options options;
  options.record = true;
  const auto done = sim::simulate(workload, platform, options);
  EXPECT_TRUE(done.has_value()) << to_string(done.error());
  return make_run(workload, platform, *done);
}

const Span& span_at(const result::Run& run, std::uint32_t rank, std::uint64_t node) {
  for (const Span& span : run.timeline(rank).spans) {
    if (span.node == node) return span;
  }
  ADD_FAILURE() << "rank " << rank << " has no node " << node;
  return run.timeline(rank).spans.front();
}

// What a switch sums leaves each rank once.
TEST(MakeRun, BoundsKnowOfSwitchesThatSum) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 8000);
  const auto workload = sim::testing::replicated(rank, 8);
  platform::Platform platform = line(Block::switched, 8);
  EXPECT_EQ(*run_of(workload, platform).collectives[0].bound, ns(14000));
  platform.dims[0].in_network = platform::InNetwork{};
  for (auto* plan : {&platform.collectives.all_reduce, &platform.collectives.all_gather})
    plan->per_dim[0].algorithm = platform::Algorithm::in_network;
  const result::Run run = run_of(workload, platform);
  EXPECT_EQ(*run.collectives[0].bound, ns(8000));
  EXPECT_EQ(run.step, ns(8000) + us(2));
}

// How many copies of a token travel is not what is stated.
TEST(MakeRun, TokensHaveNoBoundOfAllToAlls) {
  graph::ExpertExchange tokens{8, 1000, 8};
  tokens.set(graph::ExpertTransport::in_network, false);
  Rank rank;
  rank.coll(CollectiveType::all_to_all, 8000);
  rank.coll(CollectiveType::all_to_all, 8000, {1}, "", {}, tokens);
  platform::Platform platform = line(Block::switched, 8);
  const result::Run run = run_of(sim::testing::replicated(rank, 8), platform);
  ASSERT_EQ(run.collectives.size(), 2U);
  EXPECT_TRUE(run.collectives[0].bound.has_value());
  EXPECT_FALSE(run.collectives[1].bound.has_value());
}

// What waits for a stream of a switch waits in a queue, and its latency is that of its own way.
TEST(MakeRun, WaitsForSwitchesAreTimeInQueues) {
  std::vector<Rank> ranks(8);
  for (std::uint32_t r = 0; r < 8; ++r)
    ranks[r].coll(CollectiveType::all_reduce, 8000, {}, r < 4 ? "first" : "second");
  graph::Workload workload = sim::testing::workload(ranks);
  workload.groups["first"] = {"first", {0, 1, 2, 3}};
  workload.groups["second"] = {"second", {4, 5, 6, 7}};
  platform::Platform platform = line(Block::switched, 8);
  platform.dims[0].in_network = platform::InNetwork{};
  platform.dims[0].in_network->streams = 1;
  platform.collectives.all_reduce.per_dim[0].algorithm = platform::Algorithm::in_network;
  const result::Run run = run_of(workload, platform);
  const Time alone = ns(8000) + us(2);
  const std::uint64_t node = run.timeline(0).spans[0].node;
  EXPECT_EQ(span_at(run, 0, node).queue, Time{});
  EXPECT_EQ(span_at(run, 7, run.timeline(7).spans[0].node).queue, alone);
  EXPECT_EQ(span_at(run, 7, run.timeline(7).spans[0].node).latency, us(2));
  EXPECT_EQ(run.step, alone + alone);
}

TEST(MakeRun, FaultsOfLinksSideBySideAreOneRow) {
  Findings findings;
  const auto platform = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n"
      "fabric: {hosts: [{count: 2, devices: 2, scale_up: {bandwidth: 1 GB/s, latency: 1 us},"
      " nics: 2, pcie: {bandwidth: 1 GB/s, latency: 1 us}}],"
      " network: {kind: fat_tree, per_leaf: 2, radix: 4,"
      " port: {bandwidth: 1 GB/s, latency: 1 us}},"
      " faults: [{from: leaf0, to: spine0, bandwidth: 0.5, start: 1 us}]}",
      "test", findings);
  ASSERT_TRUE(platform) << to_string(platform.error());
  std::uint32_t side_by_side = 0;
  for (const platform::LinkIndex link : platform->fabric->faults[0].links)
    side_by_side += platform->fabric->topology.link(link).from ==
                    platform->fabric->topology.link(platform->fabric->faults[0].links.front()).from;
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4096);
  const result::Run run = run_of(sim::testing::replicated(rank, 4), *platform);
  ASSERT_EQ(run.faults.size(), 2u);  // there and back
  for (const result::FabricFault& fault : run.faults) {
    EXPECT_EQ(fault.links, side_by_side);
    EXPECT_EQ(fault.bandwidth, 0.5);
    EXPECT_EQ(fault.start, us(1));
  }
}

// A ring all-reduce of 4 KB on 4 ranks at 1 byte/ns and 1 us per hop: 6 steps of 1 KB.
TEST(MakeRun, SharesTimelinesOfEqualRanks) {
  Rank rank;
  const auto work = rank.comp(us(10));
  rank.coll(CollectiveType::all_reduce, 4096, {work});
  const auto workload = sim::testing::replicated(rank, 4);
  const result::Run run = run_of(workload, line(Block::ring, 4));
  ASSERT_EQ(run.ranks.size(), 4u);
  ASSERT_EQ(run.timelines.size(), 1u);
  ASSERT_EQ(run.collectives.size(), 1u);
  const Span& join = span_at(run, 2, 2);
  EXPECT_EQ(join.start, us(10));
  EXPECT_EQ(join.end, run.step);
  EXPECT_EQ(join.wait, Time{});
  EXPECT_EQ(join.latency, us(6));
  EXPECT_EQ(join.queue, Time{});
  EXPECT_EQ(join.rest(), ns(6 * 1024));
  EXPECT_EQ(join.released_by, 0u);
  EXPECT_EQ(join.release, result::Release::dependency);
  const result::Collective& one = run.collectives[0];
  EXPECT_TRUE(one.joined);
  EXPECT_EQ(one.members, 4u);
  EXPECT_EQ(one.last_start, us(10));
  EXPECT_EQ(*one.end, run.step);
  // Both links of a rank together: 2 × 3/4 × 4096 bytes at 2 bytes/ns.
  ASSERT_TRUE(one.bound.has_value());
  EXPECT_EQ(*one.bound, ns(3072));
  EXPECT_EQ(one.bound_by, "dimension 0");
  // Everything that was sent shows in the links: 6 messages of 1 KB per rank.
  ASSERT_EQ(run.links.links.size(), 4u);
  for (const result::Link& link : run.links.links) {
    const auto& curve = run.links.curves[link.use];
    EXPECT_EQ(link.bytes, 6 * 1024u);
    EXPECT_EQ(std::accumulate(curve.begin(), curve.end(), std::uint64_t{0}), link.bytes);
  }
}

TEST(MakeRun, WaitsForTheLastToCome) {
  std::vector<Rank> ranks(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    const auto work = ranks[r].comp(us(r == 2 ? 15 : 10));
    ranks[r].coll(CollectiveType::all_reduce, 4096, {work});
  }
  const result::Run run = run_of(sim::testing::workload(ranks), line(Block::ring, 4));
  const result::Collective& one = run.collectives.at(0);
  EXPECT_EQ(one.first_start, us(10));
  EXPECT_EQ(one.last_start, us(15));
  EXPECT_EQ(one.last_rank, 2u);
  EXPECT_EQ(run.timeline(2).spans[one.last_span].node, 2u);
  EXPECT_EQ(span_at(run, 0, 2).wait, us(5));
  EXPECT_EQ(span_at(run, 2, 2).wait, Time{});
}

TEST(MakeRun, TiesSendsToReceives) {
  std::vector<Rank> ranks(2);
  const auto late = ranks[0].comp(us(3));
  ranks[0].send(1, 1000, 7, {late});
  ranks[1].recv(0, 1000, 7);
  const result::Run run = run_of(sim::testing::workload(ranks), line(Block::ring, 2));
  const Span& out = span_at(run, 0, 2);
  const Span& in = span_at(run, 1, 1);
  EXPECT_EQ(out.distance, 1u);
  EXPECT_EQ(in.distance, 1u);
  EXPECT_EQ(run.timeline(1).spans[out.peer_span].node, 1u);
  EXPECT_EQ(run.timeline(0).spans[in.peer_span].node, 2u);
  EXPECT_EQ(in.wait, us(3));
  EXPECT_EQ(in.latency, us(1));
  EXPECT_EQ(in.rest(), us(1));
  EXPECT_EQ(in.end, out.end);
}

TEST(MakeRun, NamesTheBusyLaneThatHeldANodeBack) {
  Rank rank;
  rank.comp(us(10));
  rank.comp(us(5));
  auto workload = sim::testing::replicated(rank, 2);
  const result::Run run = run_of(workload, line(Block::ring, 2));
  const Span& second = span_at(run, 0, 2);
  EXPECT_EQ(second.start, us(10));
  EXPECT_EQ(second.release, result::Release::resource);
  EXPECT_EQ(second.released_by, 0u);
}

TEST(MakeRun, KeepsReceivesThatOverlapInLayers) {
  std::vector<Rank> ranks(2);
  for (int i = 0; i < 3; ++i) {
    ranks[0].send(1, 1000, static_cast<std::uint32_t>(i));
    ranks[1].recv(0, 1000, static_cast<std::uint32_t>(i));
  }
  const result::Run run = run_of(sim::testing::workload(ranks), line(Block::ring, 2));
  ASSERT_EQ(run.timeline(1).lanes.size(), 3u);
  EXPECT_EQ(run.timeline(1).lanes[2].layer, 2u);
}

TEST(MakeRun, MeetsOnlyAlongTheDimensionsOfACollective) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4096);
  auto workload = sim::testing::replicated(rank, 8);
  platform::Platform platform = line(Block::ring, 4);
  platform.dims.push_back({Block::switched, 2, Bandwidth(1e9), 500.0});
  for (auto* plan : {&platform.collectives.all_reduce}) plan->per_dim.push_back({});
  const result::Run whole = run_of(workload, platform);
  EXPECT_EQ(whole.collectives.size(), 1u);
  EXPECT_EQ(whole.collectives[0].members, 8u);
  platform.collectives.all_reduce.per_dim.resize(1);
  const result::Run parts = run_of(workload, platform);
  ASSERT_EQ(parts.collective_count(), 2u);
  EXPECT_EQ(parts.collectives.size(), 1u) << "both groups do the same";
  EXPECT_EQ(parts.collective(1).members, 4u);
  EXPECT_EQ(parts.groups[parts.group_of_collective(1)].ranks.front(), 4u);
  EXPECT_EQ(parts.last_rank(parts.collective(1), parts.group_of_collective(1)), 4u);
  EXPECT_EQ(parts.timelines.size(), 1u);  // groups are numbered per rank
}

TEST(MakeRun, SaysWhatIsHeldAtThePeak) {
  Rank rank;
  const auto made = rank.tensors({{"weight", 1000}}, {{"activation", 500}}, us(1));
  rank.tensors({{"activation", 500}}, {{"out", 10}}, us(2), {made});
  auto workload = sim::testing::replicated(rank, 2);
  const result::Run run = run_of(workload, line(Block::ring, 2));
  const result::MemoryCurve& memory = run.timeline(0).memory;
  ASSERT_EQ(memory.points.size(), 3u);
  EXPECT_EQ(memory.points[0], (std::pair{Time{}, Bytes(1500)}));
  EXPECT_EQ(memory.points[1], (std::pair{us(1), Bytes(510)}));
  EXPECT_EQ(memory.points[2], (std::pair{us(3), Bytes(10)}));
  EXPECT_EQ(memory.peak, Bytes(1500));
  ASSERT_EQ(memory.at_peak.size(), 2u);
  EXPECT_EQ(run.names[memory.at_peak[0].name], "weight");
}

TEST(MakeRun, KeepsWhatRanInAStalledRun) {
  std::vector<Rank> ranks(2);
  ranks[0].comp(us(3));
  ranks[0].recv(1, 1000);
  ranks[1].comp(us(4));
  const result::Run run = run_of(sim::testing::workload(ranks), line(Block::ring, 2));
  EXPECT_TRUE(run.stalled);
  EXPECT_FALSE(run.ranks[0].finish.has_value());
  EXPECT_EQ(run.timeline(0).spans.size(), 1u);
}

// Ranks 1 and 3 do the same; what they receive from did not get equally far.
TEST(MakeRun, NumbersTheSpansOfPeersThatStalled) {
  std::vector<Rank> ranks(4);
  for (const std::uint32_t sender : {0u, 2u}) {
    if (sender == 2) {
      ranks[sender].recv(1, 5);  // never sent
    } else {
      ranks[sender].comp(us(1));
    }
    ranks[sender].send(static_cast<std::int32_t>(sender + 1), 1000);
    ranks[sender + 1].recv(static_cast<std::int32_t>(sender), 1000);
  }
  const result::Run run = run_of(sim::testing::workload(ranks), line(Block::switched, 4));
  EXPECT_TRUE(run.stalled);
  for (const std::uint32_t receiver : {1u, 3u}) {
    const Span& in = run.timeline(receiver).spans.at(0);
    ASSERT_LT(in.peer_span, run.timeline(receiver - 1).spans.size()) << receiver;
    EXPECT_EQ(run.timeline(receiver - 1).spans[in.peer_span].node, 2u) << receiver;
  }
}

// Memory by account: each stretch from when its first computation starts.
TEST(MakeRun, KeepsWhatWasAccountedAtTheTimesOfItsNodes) {
  Rank rank;
  const auto first = rank.comp(us(10));
  const auto sum = rank.coll(CollectiveType::all_reduce, 4096, {first});
  rank.comp(us(5), {sum});
  const auto workload = sim::testing::replicated(rank, 2);
  const auto ring = line(Block::ring, 2);
  sim::Options options;
  options.record = true;
  const auto done = sim::simulate(workload, ring, options);
  ASSERT_TRUE(done.has_value());
  graph::HeldMemory held;
  held.role = "stage 0";
  held.constant = Bytes(100);
  held.segments = {{0, 1, Bytes(150)}, {1, 3, Bytes(400)}, {3, 3, Bytes(900)}};
  held.at_peak = {{"activations", "layer.input", Bytes(300)}, {"weights", "layer", Bytes(100)}};
  const result::Run run = make_run(workload, ring, *done, {held});
  const result::MemoryCurve& memory = run.timeline(1).memory;
  EXPECT_EQ(run.names[memory.role], "stage 0");
  const Time second = span_at(run, 1, 3).start;
  ASSERT_EQ(memory.points.size(), 2u) << "a stretch without nodes never was";
  EXPECT_EQ(memory.points[0], (std::pair{Time{}, Bytes(150)}));
  EXPECT_EQ(memory.points[1], (std::pair{second, Bytes(400)}));
  EXPECT_EQ(memory.peak, Bytes(400));
  EXPECT_EQ(memory.peak_at, second);
  ASSERT_EQ(memory.at_peak.size(), 2u);
  EXPECT_EQ(run.names[memory.at_peak[0].kind], "activations");
}

// Two stages of tp 2 × dp 2, with axes and distances, and said at length.
TEST(MakeRun, TakesAxesForTheGroupsTheyStandFor) {
  graph::Workload workload;
  workload.axes["tp"] = {"tp", {{1, 2}}};
  workload.axes["dp"] = {"dp", {{2, 2}}};
  for (const bool last : {false, true}) {
    Rank rank;
    const auto got = last ? rank.recv(-4, 3'000, 1, {}, true) : rank.comp(us(2));
    const auto whole = rank.coll(CollectiveType::all_gather, 4'000, {got}, "tp");
    rank.coll(CollectiveType::all_reduce, 9'000, {whole}, "dp");
    if (!last) rank.send(4, 3'000, 1, {whole}, true);
    workload.graphs.push_back(rank.finish());
  }
  workload.graph_of_rank = {0, 0, 0, 0, 1, 1, 1, 1};
  const auto ring = line(Block::ring, 8);
  const result::Run run = run_of(workload, ring);
  const result::Run listed = run_of(sim::testing::expanded(workload), ring);
  EXPECT_EQ(run.groups.size(), listed.groups.size());
  for (std::uint32_t r = 0; r < 8; ++r) {
    EXPECT_EQ(run.timeline(r), listed.timeline(r)) << r;
    for (const Span& span : run.timeline(r).spans) {
      if (span.kind != SpanKind::collective) continue;
      const result::Collective& one = run.collective(run.collective_of(r, span));
      EXPECT_EQ(&one, run.stored_collective_of(r, span));
      EXPECT_EQ(one.bytes, Bytes(one.type == "all_gather" ? 8'000 : 9'000)) << "the whole buffer";
      EXPECT_EQ(one.sent, one.type == "all_gather" ? 8'000u : 18'000u) << "on a ring of two";
      EXPECT_EQ(span.bytes, one.bytes);
    }
    for (std::size_t g = 0; g < run.ranks[r].groups.size(); ++g) {
      const result::Group& group = run.groups[run.ranks[r].groups[g]];
      const result::Group& same = listed.groups[listed.ranks[r].groups[g]];
      EXPECT_EQ(group.name, same.name);
      EXPECT_EQ(group.ranks, same.ranks);
    }
  }
}

// In a replay no rank waits for another, so a collective belongs to the group of its own rank.
TEST(MakeRun, TellsReplayedCollectivesOnAnAxisApart) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 4'000, {}, "tp", us(3));
  graph::Workload workload = sim::testing::replicated(rank, 4);
  workload.axes["tp"] = {"tp", {{1, 2}}};
  auto platform = line(Block::ring, 4);
  platform.replay_only = true;
  const result::Run run = run_of(workload, platform);
  ASSERT_EQ(run.collective_count(), 2u);
  EXPECT_EQ(run.groups[run.group_of_collective(0)].name, "tp (ranks 0-1)");
  EXPECT_EQ(run.groups[run.group_of_collective(1)].name, "tp (ranks 2-3)");
}

}  // namespace
}  // namespace orrery::record

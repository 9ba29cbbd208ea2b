// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/simulate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/network/table_network_testing.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::replicated;
using testing::workload;

SimResult run(const graph::Workload& work, const platform::Platform& platform) {
  auto result = simulate(work, platform);
  EXPECT_TRUE(result.has_value()) << (result ? "" : to_string(result.error()));
  return result ? *std::move(result) : SimResult{};
}

// Ring all-reduce: 2(n-1) steps of latency + (size/n)/bandwidth, exact to the picosecond.
RC_GTEST_PROP(Simulate, RingAllReduceIsTheClosedForm, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(2, 33);
  const auto share = *rc::gen::inRange<std::int64_t>(1, 1'000'000);
  Rank rank;
  rank.coll(CollectiveType::all_reduce, share * n);
  const auto result = run(replicated(rank, static_cast<std::uint32_t>(n)), line(Block::ring, n));
  RC_ASSERT(result.end == ps(2 * (n - 1) * (share * kPsPerNs + us(1).count())));
  RC_ASSERT(result.messages == static_cast<std::uint64_t>(2 * (n - 1) * n));
  RC_ASSERT(result.ranks[0].sent_bytes == static_cast<std::uint64_t>(2 * (n - 1) * share));
  RC_ASSERT(result.collectives[0].bytes == static_cast<std::uint64_t>(n * share * n));
  RC_ASSERT(result.collectives[0].sent == static_cast<std::uint64_t>(2 * (n - 1) * share * n));
}

// A reduce-scatter and an all-gather of the same buffer are of the same size and send the same.
RC_GTEST_PROP(Simulate, SizesAreThoseOfTheWholeBuffer, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(2, 17);
  const auto share = *rc::gen::inRange<std::int64_t>(1, 100'000);
  Rank rank;
  const auto first = rank.coll(CollectiveType::reduce_scatter, share * n);
  rank.coll(CollectiveType::all_gather, share, {first});
  const auto result = run(replicated(rank, static_cast<std::uint32_t>(n)), line(Block::ring, n));
  RC_ASSERT(result.collectives.size() == 2u);
  for (const CollectiveTotal& total : result.collectives) {
    RC_ASSERT(total.bytes == static_cast<std::uint64_t>(share * n * n));
    RC_ASSERT(total.sent == static_cast<std::uint64_t>((n - 1) * share * n));
  }
}

// What ranks send is sent for something: in every way a run may be worked out.
RC_GTEST_PROP(Simulate, WhatIsSentAddsUp, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(2, 9);
  const auto size = *rc::gen::inRange<std::int64_t>(1, 10'000);
  std::vector<Rank> ranks(static_cast<std::size_t>(n));
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const auto first = ranks[r].coll(CollectiveType::all_reduce, size * n);
    const auto second = ranks[r].coll(CollectiveType::all_gather, size, {first});
    if (r == 0) ranks[r].send(1, 77, 1, {second});
    if (r == 1) ranks[r].recv(0, 77, 1, {second});
    ranks[r].coll(CollectiveType::all_to_all, size * n, {second});
  }
  auto platform = line(Block::switched, n);
  platform.rules = *rc::gen::element(Rules::orrery, Rules::astra);
  const auto algorithm = *rc::gen::element(platform::Algorithm::ring, platform::Algorithm::direct,
                                           platform::Algorithm::double_binary_tree);
  if (algorithm != platform::Algorithm::double_binary_tree || (n & (n - 1)) == 0)
    platform.collectives.all_reduce.per_dim = {{algorithm, -1}};
  Options options;
  options.fold = *rc::gen::arbitrary<bool>();
  options.closed_forms = *rc::gen::arbitrary<bool>();
  const auto done = simulate(workload(ranks), platform, options);
  RC_ASSERT(done.has_value());
  std::uint64_t sent = 0, counted = 0;
  for (std::size_t r = 0; r < done->ranks.size(); ++r) sent += done->ranks[r].sent_bytes;
  for (const CollectiveTotal& total : done->collectives) counted += total.sent;
  RC_ASSERT(sent == counted);
}

// As long as ranks start within one hop's latency of each other, a ring's links carry one message
// at a time: both network models must agree, though one runs in lockstep and the other message by
// message.
RC_GTEST_PROP(Simulate, LockstepAndMessageByMessageAgree, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(2, 9);
  const auto rules = *rc::gen::element(Rules::orrery, Rules::astra);
  const auto type = *rc::gen::element(CollectiveType::all_reduce, CollectiveType::all_gather,
                                      CollectiveType::reduce_scatter);
  std::vector<Rank> ranks(static_cast<std::size_t>(n));
  for (Rank& rank : ranks) {
    const auto first = rank.comp(ns(*rc::gen::inRange<std::int64_t>(0, 1000)));
    rank.coll(type, 12'345 * n, {first});
  }
  const auto work = workload(ranks);
  auto platform = line(Block::ring, n);
  platform.rules = rules;
  platform.collectives.endpoint_delay = ns(10);
  platform.device.memory = Bandwidth(3e9);
  const auto analytical = run(work, platform);
  platform.network = platform::NetworkModelKind::message;
  const auto message = run(work, platform);
  for (std::size_t r = 0; r < ranks.size(); ++r)
    RC_ASSERT(analytical.ranks[r].finish == message.ranks[r].finish);
}

// Whatever the graph: compute + exposed communication + exposed memory + idle is the step, on every
// rank.
RC_GTEST_PROP(Simulate, SharesSumToTheStep, ()) {
  std::vector<Rank> ranks(4);
  const auto nodes = *rc::gen::inRange(1, 12);
  for (Rank& rank : ranks) {
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < nodes; ++i) {
      testing::Deps deps;
      if (!ids.empty() && *rc::gen::arbitrary<bool>()) deps.push_back(*rc::gen::elementOf(ids));
      const int what = i % 3;
      if (what == 0) ids.push_back(rank.comp(us(*rc::gen::inRange<std::int64_t>(0, 100)), deps));
      if (what == 1) ids.push_back(rank.coll(CollectiveType::all_reduce, 4000, {}));
      if (what == 2) ids.push_back(rank.load(50'000, deps));
    }
  }
  auto platform = line(Block::switched, 4);
  platform.remote_memory = {platform::RemoteMemoryKind::pool, us(2), Bandwidth(1e9)};
  const auto result = run(workload(ranks), platform);
  RC_ASSERT(!result.stall.has_value());
  for (const RankResult& rank : result.ranks) {
    RC_ASSERT(rank.compute + rank.comm_only + rank.memory_only + rank.idle == *rank.finish);
    RC_ASSERT(rank.exposed_comm == rank.comm_only);
  }
}

TEST(Simulate, GroupsRunSideBySideUnderOrreryRulesAndOneByOneUnderAstraRules) {
  // 2 × 2 ranks; each takes part in a row (dimension 0) and a column (dimension 1), neither waiting
  // for the other.
  std::vector<Rank> ranks(4);
  for (int r = 0; r < 4; ++r) {
    ranks[static_cast<std::size_t>(r)].coll(CollectiveType::all_reduce, 2000, {},
                                            std::to_string(1 + r / 2));
    ranks[static_cast<std::size_t>(r)].coll(CollectiveType::all_reduce, 2000, {},
                                            std::to_string(3 + r % 2));
  }
  auto work = workload(ranks);
  work.groups = {
      {"1", {"1", {0, 1}}}, {"2", {"2", {2, 3}}}, {"3", {"3", {0, 2}}}, {"4", {"4", {1, 3}}}};
  auto platform = line(Block::fully_connected, 2);
  platform.dims.push_back(platform.dims[0]);
  platform.collectives.all_reduce.per_dim.assign(2, {platform::Algorithm::ring, -1});
  const Time one = 2 * (us(1) + us(1));
  EXPECT_EQ(run(work, platform).end, one);
  platform.rules = Rules::astra;
  EXPECT_EQ(run(work, platform).end,
            2 * (one + 3 * ns(10)));  // sub-groups pay 10 ns at the boundary, three times
}

TEST(Simulate, AGroupThatIsAGridKeepsItsDimensionsUnderOrreryRules) {
  // 2 × 2 × 2; the group is the plane of dimensions 1 and 2: ranks 0, 2, 4, 6.
  Rank member;
  member.coll(CollectiveType::all_reduce, 4000, {}, "plane");
  Rank other;
  other.comp(us(1));
  std::vector<Rank> ranks(8);
  for (std::size_t r = 0; r < 8; ++r) {
    if (r % 2 == 0) ranks[r].coll(CollectiveType::all_reduce, 4000, {}, "plane");
    if (r % 2 == 1) ranks[r].comp(us(1));
  }
  auto work = workload(ranks);
  work.groups["plane"] = {"plane", {0, 2, 4, 6}};
  platform::Platform platform = line(Block::fully_connected, 2);
  platform.dims.assign(3, platform.dims[0]);
  platform.collectives.all_reduce.per_dim.assign(3, {platform::Algorithm::ring, -1});
  // Reduce-scatter 2000 B, all-reduce of 2000 B in two steps of 1000 B, all-gather 2000 B.
  EXPECT_EQ(run(work, platform).end, (us(1) + us(2)) + 2 * (us(1) + us(1)) + (us(1) + us(2)));
}

// They once looked for a message time per packet where a ring has one for all.
TEST(Simulate, AGroupRunsAnAlgorithmThatJoinsDimensionsInOneRing) {
  std::vector<Rank> ranks(4);
  for (std::size_t r = 0; r < 3; ++r) ranks[r].coll(CollectiveType::all_reduce, 3000, {}, "three");
  ranks[3].comp(us(1));
  auto work = workload(ranks);
  work.groups["three"] = {"three", {0, 1, 2}};
  platform::Platform platform = line(Block::switched, 4);
  platform.collectives.all_reduce.per_dim = {{platform::Algorithm::ring, -1, true}};
  EXPECT_EQ(run(work, platform).end, 4 * (2 * us(1) + us(1)));
  platform.collectives.all_reduce.per_dim = {{platform::Algorithm::direct, -1, true}};
  EXPECT_EQ(run(work, platform).end, 2 * (2 * us(1) + us(1)));
}

TEST(Simulate, TheLastChunkIsWhatRemains) {
  Rank rank;
  rank.coll(CollectiveType::all_gather, 10, {});
  const auto work = replicated(rank, 2);
  auto platform = line(Block::fully_connected, 2);
  platform.collectives.splits = 3;  // 4 + 4 + 2 bytes, one after another
  EXPECT_EQ(run(work, platform).end, 3 * us(1) + ns(10));
  platform.rules = Rules::astra;  // 3 + 3 + 3 + 3
  const auto astra = run(work, platform);
  EXPECT_EQ(astra.end, 4 * us(1) + ns(12));
  EXPECT_EQ(astra.findings.count(FindingCode::remainder_chunk_full), 2u);
}

TEST(Simulate, MemoryPoolServesOneAtATimeOrAllAtOnce) {
  std::vector<Rank> ranks(2);
  for (Rank& rank : ranks) rank.load(1000);
  const auto work = workload(ranks);
  auto platform = line(Block::ring, 2);
  platform.remote_memory = {platform::RemoteMemoryKind::pool, us(1), Bandwidth(1e9)};
  platform.rules = Rules::astra;
  const auto in_turn = run(work, platform);
  EXPECT_EQ(*in_turn.ranks[0].finish, us(2));
  EXPECT_EQ(*in_turn.ranks[1].finish, us(4));
  platform.rules = Rules::orrery;
  const auto pool = run(work, platform);
  EXPECT_EQ(*pool.ranks[0].finish, us(3));
  EXPECT_EQ(*pool.ranks[1].finish, us(3));
  platform.remote_memory.kind = platform::RemoteMemoryKind::per_npu;
  EXPECT_EQ(run(work, platform).end, us(2));
  platform.remote_memory.kind = platform::RemoteMemoryKind::per_node;
  platform.remote_memory.nodes = 2;
  platform.remote_memory.npus_per_node = 1;
  EXPECT_EQ(run(work, platform).end, us(2));
  platform.remote_memory = {};
  platform.device.memory = Bandwidth(1e9);  // no remote memory: the access is a local one
  EXPECT_EQ(run(work, platform).end, us(1));
  platform.rules = Rules::astra;
  const auto refused = simulate(work, platform);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::config_conflict);
}

TEST(Simulate, ReceivesDoNotWaitForAResource) {
  // ASTRA rules: rank 1 is busy sending for a long time, yet its receive ends when the message
  // arrives.
  std::vector<Rank> ranks(3);
  ranks[0].send(1, 1000);
  ranks[1].send(2, 1'000'000);
  ranks[1].recv(0, 1000);
  ranks[2].recv(1, 1'000'000);
  auto platform = line(Block::fully_connected, 3);
  platform.rules = Rules::astra;
  const auto result = run(workload(ranks), platform);
  EXPECT_EQ(*result.ranks[0].finish, us(2));
  EXPECT_EQ(*result.ranks[1].finish, us(1001));
}

TEST(Simulate, MessagesShareLinksInTheMessageNetwork) {
  std::vector<Rank> ranks(3);
  ranks[0].send(2, 1000);
  ranks[1].send(2, 1000);
  ranks[2].recv(0, 1000);
  ranks[2].recv(1, 1000);
  const auto work = workload(ranks);
  auto platform = line(Block::switched, 3);
  EXPECT_EQ(run(work, platform).end,
            2 * us(1) + us(1));  // analytical: two hops' latency, one serialization
  platform.network = platform::NetworkModelKind::message;
  EXPECT_EQ(run(work, platform).end,
            2 * (us(1) + us(1)) + us(1));  // stored and forwarded, then the second one
}

TEST(Simulate, RunsOnANetworkOfTheCallersOwn) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 1000, 0);
  ranks[1].recv(0, 1000, 0);
  const graph::Workload work = workload(ranks);
  Options options;
  const auto made_for = [&](std::uint32_t count) {
    options.network = [count](const platform::Platform&) {
      return std::make_unique<model::testing::TableNetwork>(
          count, std::vector<std::int64_t>{5, 7'000'000}, 1000);
    };
    return simulate(work, line(Block::ring, 2), options);
  };
  EXPECT_EQ(made_for(2)->end, us(8));  // one rank further on: 7 us, and 1,000 bytes at 1 ns
  EXPECT_EQ(made_for(3).error().code, Errc::config_conflict);
}

TEST(Simulate, TheMessageNetworkRoutesDimensionByDimension) {
  std::vector<Rank> ranks(8);
  ranks[0].send(7, 1000);
  ranks[7].recv(0, 1000);
  for (std::size_t r = 1; r < 7; ++r) ranks[r].comp(ns(1));
  auto platform = line(Block::fully_connected, 2);
  platform.dims.assign(3, platform.dims[0]);
  platform.network = platform::NetworkModelKind::message;
  EXPECT_EQ(run(workload(ranks), platform).end, 3 * (us(1) + us(1)));
}

TEST(Simulate, ALongChainOfEmptyNodesNeedsNoStack) {
  Rank rank;
  std::uint64_t last = rank.metadata();
  for (int i = 0; i < 200'000; ++i) last = rank.metadata({last});
  EXPECT_EQ(run(replicated(rank, 2), line(Block::ring, 2)).end, Time{});
}

TEST(Simulate, PeakMemoryCountsATensorFromItsWriterToItsLastReader) {
  Rank rank;
  const auto first = rank.tensors({{"weights", 100}}, {{"a", 10}}, us(1));
  const auto second = rank.tensors({{"a", 10}}, {{"b", 20}}, us(1), {first});
  rank.tensors({{"b", 20}}, {{"c", 5}}, us(1), {second});
  // weights + a, then a + b, then b + c: weights are gone after their only reader.
  const auto result = run(replicated(rank, 2), line(Block::ring, 2));
  EXPECT_EQ(result.ranks[0].peak_memory, Bytes(110));
  Rank plain;
  plain.comp(us(1));
  EXPECT_FALSE(run(replicated(plain, 2), line(Block::ring, 2)).ranks[0].peak_memory.has_value());
}

TEST(Simulate, AReceiveCommunicatesOnlyWhileItsMessageIsOnTheWay) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 1000, 0, {ranks[0].comp(us(10))});
  ranks[1].comp(us(1), {ranks[1].recv(0, 1000)});
  const auto result = run(workload(ranks), line(Block::fully_connected, 2));
  EXPECT_EQ(result.ranks[1].idle, us(10));
  EXPECT_EQ(result.ranks[1].exposed_comm, us(2));
  // The chain goes through the sender: compute, send, the receive that ends with it, compute.
  ASSERT_EQ(result.path.size(), 4u);
  EXPECT_EQ(result.path[0].rank, 0u);
  EXPECT_EQ(result.path[1].end - result.path[1].start, us(2));
  EXPECT_EQ(result.path[2].rank, 1u);
  EXPECT_EQ(result.path[2].start, result.path[2].end);
}

TEST(Simulate, ThePathLeadsThroughTheMemberThatCameLast) {
  std::vector<Rank> ranks(3);
  for (std::uint32_t r = 0; r < 3; ++r)
    ranks[r].coll(CollectiveType::all_reduce, 3000, {ranks[r].comp(us(r == 1 ? 9 : 2))});
  const auto result = run(workload(ranks), line(Block::ring, 3));
  // What the last to finish did since rank 1 came, and what rank 1 did until then.
  ASSERT_EQ(result.path.size(), 2u);
  EXPECT_EQ(result.path[0].rank, 1u);
  EXPECT_EQ(result.path[0].end, us(9));
  EXPECT_EQ(result.path[1].rank, 2u);
  EXPECT_EQ(result.path[1].start, us(9));
  EXPECT_EQ(result.path[1].end, result.end);
}

TEST(Simulate, ACollectiveThatSaysNothingIsReplayed) {
  Rank rank;
  rank.silent_coll(us(5));
  const auto work = replicated(rank, 2);
  auto platform = line(Block::ring, 2);
  const auto result = run(work, platform);
  EXPECT_EQ(result.end, us(5));
  EXPECT_EQ(result.findings.count(FindingCode::collective_replayed), 2u);
  platform.rules = Rules::astra;
  EXPECT_EQ(simulate(work, platform).error().code, Errc::input_missing_attr);
}

TEST(Simulate, ACollectiveWithoutPeersTakesItsRecordedTime) {
  // One rank's trace of a larger job: the others are not here, but it spent that time.
  for (const std::uint32_t ranks : {1u, 2u}) {
    Rank rank;
    rank.coll(CollectiveType::all_reduce, 1000, {}, "", us(5));
    const auto result = run(replicated(rank, ranks), line(Block::ring, static_cast<int>(ranks)));
    EXPECT_EQ(result.end == us(5), ranks == 1);
    EXPECT_EQ(result.findings.count(FindingCode::collective_replayed), ranks == 1 ? 1u : 0u);
  }
}

TEST(Simulate, AHostHasManyThreads) {
  Rank rank;
  rank.comp(us(5), {}, true);
  rank.comp(us(7), {}, true);
  const auto work = replicated(rank, 1);
  auto platform = line(Block::ring, 1);
  EXPECT_EQ(run(work, platform).end, us(7));
  platform.rules = Rules::astra;
  EXPECT_EQ(run(work, platform).end, us(12)) << "one at a time";

  // Two threads communicate at once, and each takes its recorded time.
  for (const bool cpu : {true, false}) {
    Rank both;
    both.silent_coll(us(5), cpu);
    both.silent_coll(us(7), cpu);
    EXPECT_EQ(run(replicated(both, 1), line(Block::ring, 1)).end, cpu ? us(7) : us(12));
  }
}

TEST(Simulate, SameInputsSameResult) {
  std::vector<Rank> ranks(8);
  for (std::size_t r = 0; r < 8; ++r) {
    const auto first = ranks[r].comp(us(static_cast<std::int64_t>(r * 7 % 5)));
    ranks[r].coll(CollectiveType::all_to_all, 80'000, {first});
  }
  const auto work = workload(ranks);
  auto platform = line(Block::switched, 8, platform::Algorithm::direct);
  platform.network = platform::NetworkModelKind::message;
  const auto once = run(work, platform);
  const auto again = run(work, platform);
  EXPECT_EQ(once.events, again.events);
  for (std::size_t r = 0; r < 8; ++r) EXPECT_EQ(once.ranks[r].finish, again.ranks[r].finish);
}

}  // namespace
}  // namespace orrery::sim

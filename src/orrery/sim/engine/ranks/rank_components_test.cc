// SPDX-License-Identifier: Apache-2.0
//
// The engine's parts alone: agendas, transport, accounts, the guard, nodes, devices, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/engine/messages/p2p_messages.h"
#include "orrery/sim/engine/ranks/device_work.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/ranks/run_fixture_testing.h"

namespace orrery::sim {
namespace {

using platform::Block;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::line;
using ::testing::Pair;
using testing::Rank;
using testing::RunFixture;

using RankNode = std::pair<std::uint32_t, graph::NodeId>;

/// Two ranks that compute for 1 us, then send and receive 1,000 bytes.
graph::Workload pair_of_ranks() {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 1000, 5, {ranks[0].comp(us(1))});
  ranks[1].recv(0, 1000, 5, {ranks[1].comp(us(1))});
  return testing::workload(ranks);
}

TEST(LocalEvents, RunsAllOfATimeInOrderWithWhatComesMeanwhile) {
  RunFixture toy(pair_of_ranks(), line(Block::ring, 2));
  std::vector<std::uint32_t> seen;
  toy.local_events.at(0, 7, {.arg = 1, .kind = LocalEventKind::node_done});
  toy.local_events.at(0, 9, {.arg = 9, .kind = LocalEventKind::node_done});
  toy.local_events.at(0, 7, {.arg = 2, .kind = LocalEventKind::node_done});
  EXPECT_EQ(toy.local_events.pending(0).size(), 3u);
  EXPECT_EQ(toy.next().kind, EventKind::local);
  EXPECT_EQ(toy.run.now(), 7);
  toy.local_events.run(0, [&](std::uint32_t rank, const LocalEvent& event) {
    seen.push_back(event.arg);
    if (event.arg == 1) toy.local_events.at(rank, 0, {.arg = 3, .kind = LocalEventKind::node_done});
  });
  EXPECT_THAT(seen, ElementsAre(1, 2, 3));
  EXPECT_EQ(toy.next().time, 9);
  EXPECT_TRUE(toy.over());
}

TEST(Transport, MessagesDoNotSlowEachOtherUnlessTheyShareLinks) {
  for (const bool shared : {false, true}) {
    platform::Platform platform = line(Block::ring, 2);
    if (shared) platform.network = platform::NetworkModelKind::message;
    RunFixture toy(pair_of_ranks(), platform);
    std::vector<std::int64_t> arrivals;
    for (std::uint32_t i = 0; i < 2; ++i)
      toy.transport.send({.from = 0, .to = 1, .bytes = 1000, .weight = 3},
                         toy.transport.duration(0, 1, 1000),
                         {.kind = EventKind::p2p_deliver, .first = i});
    EXPECT_EQ(toy.run.result.messages, 6u);
    EXPECT_EQ(toy.transport.settle(), shared);
    EXPECT_FALSE(toy.transport.settle());
    while (!toy.over() || toy.transport.next() != EventQueue::kNever) {
      Event event;
      if (toy.run.queue.pop(event, toy.transport.next())) {
        arrivals.push_back(event.time);
      } else {
        toy.run.queue.advance_to(toy.transport.next());
        toy.transport.advance();
      }
    }
    const std::int64_t first = us(2).count();  // a hop of 1 us, and 1,000 bytes at 1 GB/s
    EXPECT_THAT(arrivals, ElementsAre(first, shared ? first + us(1).count() : first));
    EXPECT_EQ(toy.transport.is_contended(), shared);
  }
}

TEST(TimeAccounting, AddsUpUnionsOfWhatGoesOn) {
  std::vector<Rank> ranks(2);
  ranks[0].comp(us(1));
  ranks[0].coll(graph::CollectiveType::all_reduce, 1000);
  ranks[1].comp(us(1));
  RunFixture toy(testing::workload(ranks), line(Block::ring, 2));
  const auto change = [&](graph::NodeId node, int step) {
    toy.accounts.account(0);
    toy.run.times_of(0, node).start = step > 0 ? toy.run.now() : toy.run.times_of(0, node).start;
    toy.accounts.count_node(0, node, step);
  };
  toy.wait_until(10);
  change(0, +1);
  toy.wait_until(15);
  change(1, +1);
  toy.wait_until(20);
  change(0, -1);
  toy.wait_until(40);
  toy.accounts.sent(0, 1, 500);
  change(1, -1);
  const RankResult& rank = toy.run.shared.results[0];
  EXPECT_EQ(rank.idle, ps(10));
  EXPECT_EQ(rank.compute, ps(10));
  EXPECT_EQ(rank.comm, ps(25));
  EXPECT_EQ(rank.overlapped, ps(5));
  EXPECT_EQ(rank.comm_only, ps(20));
  const auto& [key, total] = *toy.accounts.totals().begin();
  EXPECT_THAT(key, Pair("all_reduce", 2));
  EXPECT_EQ(total.operations, 1u);
  EXPECT_EQ(total.sent, 500u);
  EXPECT_EQ(total.time, ps(25));
}

TEST(FoldingGuard, DoubtsWhatTwoRanksQueueForOneTickInOneTick) {
  RunFixture toy(pair_of_ranks(), line(Block::ring, 2));
  toy.run.guarded = true;
  toy.guard.set_up();
  toy.guard.expect_local(0, 50);
  toy.guard.expect_local(0, 50);  // its own order is the same for all
  EXPECT_EQ(toy.run.fold_failed, "");
  toy.wait_until(5);
  toy.guard.expect_message({1, 0}, {0, 1, 0, 8}, 50);  // in another tick
  EXPECT_EQ(toy.run.fold_failed, "");
  toy.guard.expect_local(0, 50);
  EXPECT_NE(toy.run.fold_failed, "");
}

class Begun : public Nodes::Executor {
 public:
  void begin(std::uint32_t rank, graph::NodeId node) override { nodes.emplace_back(rank, node); }
  void prefetch(std::uint32_t, graph::NodeId) override {}
  void on_watched_start() override { ++watched; }
  std::int64_t launch(std::uint32_t, graph::NodeId) override { return 0; }
  void end_launches(std::uint32_t, graph::NodeId) override {}
  std::vector<RankNode> nodes;
  int watched = 0;
};

TEST(Nodes, StartWhenTheirDependenciesHaveEndedAndTheirLaneIsFree) {
  std::vector<Rank> ranks(2);
  const auto first = ranks[0].comp(us(1));
  ranks[0].comp(us(1));             // waits for the lane
  ranks[0].send(1, 8, 0, {first});  // and this one for the node
  ranks[1].comp(us(1));
  RunFixture toy(testing::workload(ranks), line(Block::ring, 2));
  Begun begun;
  Nodes nodes(toy.run, toy.local_events, toy.accounts, begun);
  nodes.watch_for(0, 1);
  nodes.begin_rank(0);
  EXPECT_THAT(begun.nodes, IsEmpty());  // the tick is not over
  EXPECT_TRUE(nodes.settle());
  EXPECT_FALSE(nodes.settle());
  EXPECT_THAT(begun.nodes, ElementsAre(Pair(0u, 0u)));
  EXPECT_EQ(begun.watched, 0);
  toy.wait_until(100);
  nodes.complete(0, 0);
  EXPECT_TRUE(nodes.settle());
  EXPECT_THAT(begun.nodes, ElementsAre(Pair(0u, 0u), Pair(0u, 1u), Pair(0u, 2u)));
  EXPECT_EQ(begun.watched, 1);
  EXPECT_EQ(nodes.finished(), 0u);
  nodes.complete(0, 1);
  nodes.complete(0, 2);
  EXPECT_TRUE(nodes.settle());
  EXPECT_EQ(nodes.finished(), 1u);
  EXPECT_EQ(toy.run.shared.results[0].finish, ps(100));
}

TEST(Nodes, StartAtOnceWhereWhatComesFirstGoesFirst) {
  platform::Platform platform = line(Block::ring, 2);
  platform.rules = platform::Rules::astra;
  RunFixture toy(pair_of_ranks(), platform);
  Begun begun;
  Nodes nodes(toy.run, toy.local_events, toy.accounts, begun);
  nodes.begin_rank(0);
  nodes.begin_rank(1);
  EXPECT_THAT(begun.nodes, ElementsAre(Pair(0u, 0u), Pair(1u, 0u)));
}

TEST(DeviceWork, ServeAPoolOfMemoryOneAtATime) {
  std::vector<Rank> ranks(2);
  for (Rank& rank : ranks) rank.load(1000);
  platform::Platform platform = line(Block::ring, 2);
  platform.rules = platform::Rules::astra;
  platform.remote_memory = {platform::RemoteMemoryKind::pool, ns(500), Bandwidth(1e9)};
  RunFixture toy(testing::workload(ranks), platform);
  KernelInterference kernel_interference(toy.run, toy.local_events);
  DeviceWork devices(toy.run, toy.local_events, toy.transport, kernel_interference);
  devices.access(0, 0);
  devices.access(1, 0);
  std::vector<std::pair<std::uint32_t, std::int64_t>> ended;
  while (!toy.over()) {
    const Event event = toy.next();
    toy.local_events.run(event.first, [&](std::uint32_t rank, const LocalEvent&) {
      ended.emplace_back(rank, toy.run.now());
      devices.access_ends(rank);
    });
  }
  const std::int64_t one = (ns(500) + us(1)).count();
  EXPECT_THAT(ended, ElementsAre(Pair(0u, one), Pair(1u, 2 * one)));
}

class Ended : public P2pMessages::CompletionObserver {
 public:
  void on_message_end(const Endpoint& who) override { steps.emplace_back(who.rank, who.node); }
  std::vector<RankNode> steps;
};

TEST(P2pMessages, EndAtTheSenderFirstAndWaitForWhoeverIsLate) {
  for (const bool rendezvous : {false, true}) {
    for (const bool receiver_is_late : {false, true}) {
      platform::Platform platform = line(Block::ring, 2);
      platform.collectives.rendezvous = rendezvous;
      RunFixture toy(pair_of_ranks(), platform);
      Ended ended;
      P2pMessages messages(toy.run, toy.guard, toy.transport, toy.accounts, ended);
      const auto send = messages.key(0, 1), receive = messages.key(1, 1);
      ASSERT_TRUE(send && receive);
      EXPECT_EQ(*send, *receive);
      const auto run_out = [&] {
        while (!toy.over()) messages.handle(toy.next());
      };
      if (!receiver_is_late) messages.receive({1, 1}, *receive);
      if (!receiver_is_late) run_out();
      messages.send({0, 1}, *send);
      run_out();
      if (receiver_is_late) {
        // Only what was announced has left.
        EXPECT_EQ(ended.steps.size(), rendezvous ? 0u : 1u);
        messages.receive({1, 1}, *receive);
        run_out();
      }
      EXPECT_THAT(ended.steps, ElementsAre(Pair(0u, 1u), Pair(1u, 1u)));
      EXPECT_EQ(toy.run.result.messages, rendezvous ? 2u : 1u);
    }
  }
}

}  // namespace
}  // namespace orrery::sim

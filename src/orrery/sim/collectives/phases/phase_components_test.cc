// SPDX-License-Identifier: Apache-2.0
//
// The engine's parts alone: chunks and their queues, phases by each way to run them, announcements,
// early messages, and who is who where one rank stands for several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/sim/collectives/chunks/chunk_queues.h"
#include "orrery/sim/collectives/phases/phases.h"
#include "orrery/sim/collectives/plans/tree_slots.h"
#include "orrery/sim/engine/ranks/run_fixture_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using ::testing::ElementsAre;
using testing::line;
using testing::Rank;
using testing::RunFixture;

graph::Workload one_all_reduce(std::uint32_t ranks) {
  Rank rank;
  rank.coll(CollectiveType::all_reduce, 8000);
  return testing::replicated(rank, ranks);
}

/// Makes a chunk of all ranks ready for its first phase at each.
void issue(RunFixture& toy, ChunkPool& chunks, std::int64_t bytes, std::int64_t priority = 0) {
  ChunkRequest request;
  const auto topology = toy.planner.topology(request.type, 0, toy.run.communicators[0], ~0u, bytes);
  ORRERY_CHECK(topology.has_value());
  request.topology = *topology;
  request.bytes = bytes;
  for (std::uint32_t rank = 0; rank < toy.workload.rank_count(); ++rank) {
    Stream& stream = chunks.open(0, rank, 0);
    const auto list =
        toy.planner.choose_queues(*toy.planner.plan(request), request.type,
                                  toy.planner.topology(*topology), toy.run.shared.pointers[rank]);
    ORRERY_CHECK(list.has_value());
    stream.phases = *list;
    stream.priority = priority;
  }
}

class Started : public ChunkQueues::Starter {
 public:
  void begin_phase(Stream& stream) override { blocks.push_back(stream.id.block); }
  std::vector<std::uint32_t> blocks;
};

TEST(ChunkQueues, StartAsManyAsMayRunInOrderOfPriority) {
  for (const bool decided_later : {true, false}) {
    platform::Platform platform = line(Block::ring, 2);
    if (!decided_later) platform.rules = platform::Rules::astra;
    RunFixture toy(one_all_reduce(2), platform);
    ChunkPool& chunks = toy.chunks;
    ChunkQueues queues(toy.run, toy.planner, chunks);
    Started started;
    queues.set_starter(started);
    for (const std::int64_t priority : {1, 3, 2}) issue(toy, chunks, 800, priority);
    for (std::uint32_t block = 0; block < 3; ++block) {
      queues.enqueue(chunks.at(chunks[block], 0));
      queues.pump(0, 0);
    }
    if (decided_later) {
      EXPECT_TRUE(started.blocks.empty());
      EXPECT_TRUE(queues.settle());
    }
    const auto next = [&] {
      queues.release(0, 0);
      queues.pump(0, 0);
      if (decided_later) {
        EXPECT_TRUE(queues.settle());
      }
    };
    next();
    next();
    EXPECT_FALSE(queues.settle());
    // At once the first goes first, whatever comes later.
    const std::vector<std::uint32_t> expected =
        decided_later ? std::vector<std::uint32_t>{1, 2, 0} : std::vector<std::uint32_t>{0, 1, 2};
    EXPECT_EQ(started.blocks, expected);
  }
}

TEST(ChunkPool, AreDroppedWhenAllAreDoneAndServeAgain) {
  RunFixture toy(one_all_reduce(2), line(Block::ring, 2));
  ChunkPool& chunks = toy.chunks;
  issue(toy, chunks, 800);
  chunks.close(chunks.at(chunks[0], 0));
  EXPECT_FALSE(chunks[0].streams.empty());
  chunks.close(chunks.at(chunks[0], 1));
  EXPECT_TRUE(chunks[0].streams.empty());
  issue(toy, chunks, 800);
  EXPECT_EQ(chunks.count(), 1u);
  EXPECT_EQ(chunks[0].number, 1u);
}

class PhaseLog : public PhaseObserver {
 public:
  explicit PhaseLog(RunFixture& toy) : toy_(toy) {}
  void on_phase_end(Stream& stream) override {
    at.push_back(toy_.run.now());
    stream.spec = nullptr;
    stream.balances.clear();
  }
  std::vector<std::int64_t> at;

 private:
  RunFixture& toy_;
};

/// When the members end their phase, with or without closed forms.
std::vector<std::int64_t> run_phase(Algorithm algorithm, std::uint32_t ranks, bool closed_forms,
                                    bool rendezvous) {
  platform::Platform platform = line(Block::switched, ranks, algorithm);
  platform.collectives.rendezvous = rendezvous;
  RunFixture toy(one_all_reduce(ranks), platform);
  toy.options.closed_forms = closed_forms;
  ChunkPool& chunks = toy.chunks;
  PhaseLog log(toy);
  KernelInterference kernel_interference(toy.run, toy.local_events);
  Phases phases(toy.run, toy.planner, chunks, toy.guard, toy.local_events, toy.transport, log,
                kernel_interference);
  issue(toy, chunks, 8000);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) phases.begin_phase(chunks.at(chunks[0], rank));
  const auto act = [&](std::uint32_t rank, const LocalEvent& event) {
    if (event.kind == LocalEventKind::inserted_sum) return phases.reduce(rank, event);
    phases.on_packets_free(toy.chunks.at(event.stream), event.repeat);
  };
  while (!toy.over()) {
    const Event event = toy.next();
    if (event.kind == EventKind::local) {
      phases.run_local_events(event, act);
    } else {
      phases.handle(event);
    }
  }
  EXPECT_EQ(toy.run.result.savings.phases_by_closed_form > 0, closed_forms && !rendezvous);
  EXPECT_EQ(phases.waiting(), 0u);
  EXPECT_FALSE(phases.has_early_messages());
  std::sort(log.at.begin(), log.at.end());
  return log.at;
}

// Ring: 2 (n - 1) steps of 2,000 bytes over two hops of 1 us. Direct: all at once, twice.
TEST(Phases, EndWhenTheirMessagesHaveArrived) {
  const std::int64_t step = us(4).count();
  EXPECT_THAT(run_phase(Algorithm::ring, 4, false, false),
              ElementsAre(6 * step, 6 * step, 6 * step, 6 * step));
  EXPECT_THAT(run_phase(Algorithm::direct, 4, false, false),
              ElementsAre(2 * step, 2 * step, 2 * step, 2 * step));
}

TEST(Phases, EndAtTheSameTimeByEveryWayToRunThem) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling,
                                    Algorithm::double_binary_tree}) {
    for (const std::uint32_t ranks : {2u, 4u, 8u})
      EXPECT_EQ(run_phase(algorithm, ranks, true, false),
                run_phase(algorithm, ranks, false, false));
  }
}

// An announcement of 8,192 bytes goes before each message.
TEST(Phases, WaitForAnnouncements) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling,
                                    Algorithm::double_binary_tree}) {
    const auto plain = run_phase(algorithm, 4, false, false);
    const auto announced = run_phase(algorithm, 4, false, true);
    ASSERT_EQ(announced.size(), plain.size());
    EXPECT_GE(announced.back(), plain.back() + (us(2) + ns(8192)).count());
  }
}

TEST(EarlyMessages, IsTakenOnceByThePhaseItIsFor) {
  EarlyMessages early(Policy::of(platform::Rules::orrery));
  Stream stream;
  model::PhaseSpec one, other;
  one.step = other.step = {{100, 0, 1}};
  other.id = 1;
  stream.spec = &other;
  early.put(stream, one, 3, 0);
  EXPECT_TRUE(stream.early);
  EXPECT_FALSE(early.take(stream, 3, 0));  // another phase, of the same size
  stream.spec = &one;
  EXPECT_FALSE(early.take(stream, 2, 0));
  EXPECT_TRUE(early.take(stream, 3, 0));
  EXPECT_FALSE(early.take(stream, 3, 0));
  EXPECT_TRUE(early.empty());
  EarlyMessages by_size(Policy::of(platform::Rules::astra));
  by_size.put(stream, other, 3, 0);
  EXPECT_TRUE(by_size.take(stream, 3, 0));
}

TEST(TreeSlots, WhoeverIsSentToKnowsTheSender) {
  model::PhaseSpec ring;
  ring.request.ring = {4, 2};  // members 1, 3, 5, 7 of eight
  for (const std::uint32_t member : {1u, 3u, 5u, 7u}) {
    const std::uint32_t to = ring.destination(member, ring.request.ring.position(member), 0);
    EXPECT_EQ(sender_of(ring, to, 0), member);
  }
  model::PhaseSpec tree;
  tree.peers = model::Peers::tree;
  tree.request.ring = {4, 1};
  for (std::uint32_t member = 4; member < 8; ++member) {
    const model::TreePlace place = tree_place(tree, member);
    for (std::uint32_t slot = 0; slot < kTreeSlots; ++slot) {
      if (in_slot(place, slot) == model::TreePlace::kNone) continue;
      EXPECT_EQ(slot_of(place, in_slot(place, slot)), slot);
      const std::uint32_t to = member_in(tree, member, slot);
      EXPECT_EQ(to, in_slot(place, slot) + 4);
      EXPECT_EQ(sender_of(tree, to, slot_of(tree_place(tree, to), member - 4)), member);
    }
  }
}

}  // namespace
}  // namespace orrery::sim

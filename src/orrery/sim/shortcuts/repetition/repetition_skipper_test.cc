// SPDX-License-Identifier: Apache-2.0
//
// Runs that skip what repeats end as those do that simulate all of it.
#include "orrery/sim/shortcuts/repetition/repetition_skipper.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using testing::Deps;
using testing::line;
using testing::Rank;
using testing::workload;

platform::Platform orrery_line(std::int64_t size, Block block = Block::ring) {
  platform::Platform made = line(block, size);
  made.rules = platform::Rules::orrery;
  return made;
}

std::string chain_text(const SimResult& result) {
  std::string text;
  for (const CriticalPathNode& link : result.path) {
    text += std::to_string(link.rank) + ":" + std::to_string(link.node) + "@" +
            std::to_string(link.start.count()) + "-" + std::to_string(link.end.count()) + " ";
  }
  return text;
}

std::string findings_text(const SimResult& result) {
  std::string text;
  for (const Finding& finding : result.findings.list()) {
    text += std::string(describe(finding.code).name) + " " + std::to_string(finding.count) + "\n";
    for (const std::string& place : finding.places) text += "  " + place + "\n";
  }
  return text;
}

/// Simulates with and without skipping; what was skipped.
std::uint64_t skipped(const graph::Workload& work, const platform::Platform& platform,
                      Options options = {}) {
  options.skip_repeats = false;
  const auto all = simulate(work, platform, options);
  options.skip_repeats = true;
  const auto some = simulate(work, platform, options);
  EXPECT_EQ(all.has_value(), some.has_value());
  if (!all || !some) return 0;
  EXPECT_EQ(first_difference(*all, *some).value_or("equal"), "equal");
  EXPECT_EQ(all->messages, some->messages);
  EXPECT_EQ(all->savings.phases_by_closed_form, some->savings.phases_by_closed_form);
  EXPECT_EQ(all->savings.phases_by_messages, some->savings.phases_by_messages);
  EXPECT_EQ(chain_text(*all), chain_text(*some));
  EXPECT_EQ(findings_text(*all), findings_text(*some));
  EXPECT_EQ(all->savings.iterations_skipped, 0u);
  if (some->savings.iterations_skipped > 0) {
    EXPECT_LT(some->events, all->events);
  }
  return some->savings.iterations_skipped;
}

/// Each computes, sends to the other, and waits for the other's answer.
graph::Workload ping_pong(int rounds, std::uint32_t tag_step) {
  std::vector<Rank> ranks(2);
  std::uint64_t here = ranks[0].comp(us(1)), there = ranks[1].comp(us(2));
  for (int i = 0; i < rounds; ++i) {
    const std::uint32_t tag = static_cast<std::uint32_t>(i) * tag_step;
    here = ranks[0].comp(us(3), {here});
    here = ranks[0].send(1, 5000, tag, {here});
    here = ranks[0].recv(1, 70, tag, {here});
    there = ranks[1].recv(0, 5000, tag, {there});
    there = ranks[1].comp(us(2), {there});
    there = ranks[1].send(0, 70, tag, {there});
  }
  return workload(ranks);
}

TEST(Repeat, PingPong) {
  EXPECT_GT(skipped(ping_pong(1000, 0), orrery_line(2)), 900u);
  EXPECT_GT(skipped(ping_pong(1000, 3), orrery_line(2)), 900u);
}

TEST(Repeat, CanBeSwitchedOff) {
  Options options;
  options.skip_repeats = false;
  const auto result = simulate(ping_pong(1000, 0), orrery_line(2), options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->savings.iterations_skipped, 0u);
}

TEST(Repeat, NotUnderAstraRules) {
  platform::Platform platform = orrery_line(2);
  platform.rules = platform::Rules::astra;
  EXPECT_EQ(skipped(ping_pong(1000, 0), platform), 0u);
}

graph::Workload training(std::uint32_t ranks, int rounds, std::int64_t bytes) {
  std::vector<Rank> all(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::uint64_t last = all[r].comp(us(1));
    std::uint64_t reduced = last;
    for (int i = 0; i < rounds; ++i) {
      last = all[r].comp(us(4 + r), {last});
      reduced = all[r].coll(CollectiveType::all_reduce, bytes, {last, reduced});
      const std::uint64_t other = all[r].comp(us(2), {last});
      last = all[r].comp(us(1), {other, reduced});
    }
  }
  return workload(all);
}

TEST(Repeat, ComputeAndAllReduce) {
  EXPECT_GT(skipped(training(4, 200, 10'000), orrery_line(4)), 150u);
  EXPECT_GT(skipped(training(4, 200, 10'000), orrery_line(4), {.fold = true}), 150u);
}

TEST(Repeat, SeveralChunksInSeveralQueues) {
  platform::Platform platform = orrery_line(4);
  platform.collectives.splits = 7;
  platform.collectives.queues_per_dim = 3;
  platform.collectives.active_chunks = 2;
  EXPECT_GT(skipped(training(4, 400, 10'000), platform), 300u);
}

// Iterations of a pipeline: forward passes go up, backward passes down; 1F1B.
graph::Workload pipeline(int stages, int microbatches) {
  std::vector<Rank> all(static_cast<std::size_t>(stages));
  for (int s = 0; s < stages; ++s) {
    Rank& rank = all[static_cast<std::size_t>(s)];
    std::uint64_t last = rank.comp(us(1)), sent = 0, received = 0;
    const auto chain = [](std::initializer_list<std::uint64_t> nodes) {
      Deps deps;
      for (const std::uint64_t node : nodes) {
        if (node != 0) deps.push_back(node);
      }
      return deps;
    };
    std::vector<std::uint64_t> retained;
    const auto pass = [&](int microbatch, bool forward) {
      const int from = forward ? s - 1 : s + 1, to = forward ? s + 1 : s - 1;
      const auto tag = static_cast<std::uint32_t>(microbatch) | (forward ? 0u : 1u << 24);
      if (from >= 0 && from < stages)
        received = rank.recv(from - s, 3000, tag, chain({received == 0 ? last : received}), true);
      last = rank.comp(
          us(forward ? 10 : 20),
          chain({last, received, forward ? 0 : retained[static_cast<std::size_t>(microbatch)]}));
      if (forward) retained.push_back(last);
      if (to >= 0 && to < stages) sent = rank.send(to - s, 3000, tag, chain({last, sent}), true);
    };
    const int warm_up = std::min(microbatches, stages - 1 - s);
    for (int m = 0; m < warm_up; ++m) pass(m, true);
    for (int m = warm_up; m < microbatches; ++m) {
      pass(m, true);
      pass(m - warm_up, false);
    }
    for (int m = microbatches - warm_up; m < microbatches; ++m) pass(m, false);
    rank.comp(us(3), {last});
  }
  return workload(all);
}

TEST(Repeat, Pipeline) {
  EXPECT_GT(skipped(pipeline(4, 64), orrery_line(4)), 30u);
  EXPECT_GT(skipped(pipeline(4, 1000), orrery_line(4)), 950u);
}

TEST(Repeat, LateAndSlowRanks) {
  platform::Platform platform = orrery_line(4);
  platform.deviations = {{.ranks = {1, 2}, .compute_time = 1.25, .start = us(77)}};
  EXPECT_GT(skipped(pipeline(4, 300), platform), 200u);
}

TEST(Repeat, ALateRankWithNothingToDo) {
  graph::Workload work = ping_pong(1000, 0);
  std::vector<Rank> nothing(1);
  const graph::Workload idle = workload(nothing);
  work.graphs.push_back(idle.graphs.front());
  work.graph_of_rank.push_back(2);
  platform::Platform platform = orrery_line(3);
  platform.deviations = {{.ranks = {2}, .start = us(300)}};
  EXPECT_GT(skipped(work, platform), 900u);
}

// One rank's loop is twice as long as the other's: the state comes back every other time.
TEST(Repeat, EveryOtherTime) {
  std::vector<Rank> ranks(2);
  std::uint64_t here = ranks[0].comp(us(1)), there = ranks[1].comp(us(2));
  for (int i = 0; i < 500; ++i) {
    here = ranks[0].comp(us(3), {here});
    here = ranks[0].send(1, 500, 0, {here});
  }
  for (int i = 0; i < 250; ++i) {
    there = ranks[1].recv(0, 500, 0, {there});
    there = ranks[1].recv(0, 500, 0, {there});
    there = ranks[1].comp(us(2), {there});
  }
  EXPECT_GT(skipped(workload(ranks), orrery_line(2)), 400u);
}

graph::Workload apart(Time one, Time other, int rounds) {
  std::vector<Rank> ranks(2);
  std::uint64_t here = ranks[0].comp(us(1)), there = ranks[1].comp(us(2));
  for (int i = 0; i < rounds; ++i) {
    here = ranks[0].comp(one, {here});
    here = ranks[0].comp(one, {here});
    there = ranks[1].comp(other, {there});
    there = ranks[1].comp(other, {there});
  }
  return workload(ranks);
}

// Two loops that know nothing of each other come back to one state together, or do not.
TEST(Repeat, LoopsOfTheirOwn) {
  EXPECT_GT(skipped(apart(us(3), us(5), 1000), orrery_line(2)), 400u);
  EXPECT_EQ(skipped(apart(us(3), Time(5'000'001), 1000), orrery_line(2)), 0u);
}

TEST(Repeat, PlacesOfFindingsAreKept) {
  std::vector<Rank> ranks(2);
  for (Rank& rank : ranks) {
    std::uint64_t last = rank.comp(us(1));
    for (int i = 0; i < 100; ++i) {
      last = rank.comp(us(1), {last});
      last = rank.comp(Time{}, {last});
    }
  }
  EXPECT_GT(skipped(workload(ranks), orrery_line(2)), 50u);
}

TEST(Repeat, AStallIsFoundAfterwards) {
  std::vector<Rank> ranks(2);
  std::uint64_t here = ranks[0].comp(us(1)), there = ranks[1].comp(us(2));
  for (int i = 0; i < 300; ++i) {
    here = ranks[0].send(1, 500, 0, {ranks[0].comp(us(3), {here})});
    there = ranks[1].recv(0, 500, 0, {there});
  }
  ranks[1].recv(0, 500, 9, {there});
  EXPECT_GT(skipped(workload(ranks), orrery_line(2)), 200u);
}

TEST(Repeat, MemoryIsTrackedThroughIt) {
  std::vector<Rank> ranks(1);
  std::uint64_t last = ranks[0].comp(us(1));
  for (int i = 0; i < 200; ++i) {
    const std::string mine = "t" + std::to_string(i), held = "t" + std::to_string(i - i % 50);
    last = ranks[0].tensors({{held, 100}}, {{mine, 1000 + i}}, us(2), {last});
  }
  EXPECT_GT(skipped(workload(ranks), orrery_line(1)), 100u);
}

// A memory in the platform matters only if the workload accesses it.
TEST(Repeat, PlatformHasRemoteMemory) {
  using platform::RemoteMemoryKind;
  std::vector<Rank> accesses(1);
  std::uint64_t last = accesses[0].comp(us(1));
  for (int i = 0; i < 200; ++i) last = accesses[0].load(1000, {accesses[0].comp(us(2), {last})});
  for (const auto kind : {RemoteMemoryKind::per_npu, RemoteMemoryKind::pool}) {
    platform::Platform machine = orrery_line(4);
    machine.remote_memory = {kind, ns(300), Bandwidth(1e9)};
    EXPECT_GT(skipped(training(4, 200, 10'000), machine), 150u);
    machine = orrery_line(1);
    machine.remote_memory = {kind, ns(300), Bandwidth(1e9)};
    EXPECT_EQ(skipped(workload(accesses), machine), 0u);
  }
}

// Messages of a phase that are on their way are not looked at: some always are.
TEST(Repeat, NotAmongMessagesOfPhases) {
  EXPECT_EQ(skipped(training(4, 200, 10'000), orrery_line(4), {.closed_forms = false}), 0u);
  EXPECT_GT(skipped(pipeline(4, 300), orrery_line(4), {.closed_forms = false}), 200u);
}

TEST(Repeat, ReceivesThatWaitInLine) {
  std::vector<Rank> ranks(2);
  std::uint64_t here = ranks[0].comp(us(1)), there = ranks[1].comp(us(2));
  std::vector<std::uint64_t> posted(300, there);
  for (std::size_t i = 0; i < 300; ++i) {
    here = ranks[0].send(1, 500, 0, {ranks[0].comp(us(3), {here})});
    // Three are posted before the first message comes.
    posted[i] = ranks[1].recv(0, 500, 0, {i < 3 ? there : posted[i - 3]});
  }
  EXPECT_GT(skipped(workload(ranks), orrery_line(2)), 200u);
}

/// One step of a random loop: what all ranks do, on one of three streams.
struct StepPart {
  int kind;  ///< compute, memory, all-reduce, all-to-all, to the next rank, metadata
  int stream;
  int waits_for;  ///< another stream
  int size;
};

void add_step(Rank& rank, const StepPart& step, int number, int rank_number, int ranks, int round,
              std::uint64_t (&tails)[3]) {
  std::uint64_t& tail = tails[step.stream];
  const Deps deps = tails[step.waits_for] == tail ? Deps{tail} : Deps{tail, tails[step.waits_for]};
  const auto tag = static_cast<std::uint32_t>(round * (number % 2));
  switch (step.kind) {
    case 0:
      tail = rank.comp(ns(step.size * (1 + rank_number % 2)), deps);
      return;
    case 1:
      tail = rank.load(step.size, deps);
      return;
    case 2:
      tail = rank.coll(CollectiveType::all_reduce, step.size * 10, deps);
      return;
    case 3:
      tail = rank.coll(CollectiveType::all_to_all, step.size * 10, deps);
      return;
    case 4: {
      const std::uint64_t sent = rank.send((rank_number + 1) % ranks, step.size, tag, deps, false);
      const std::uint64_t received =
          rank.recv((rank_number + ranks - 1) % ranks, step.size, tag, deps);
      tail = rank.metadata({sent, received});
      return;
    }
    default:
      tail = rank.metadata(deps);
  }
}

RC_GTEST_PROP(Repeat, RandomLoops, ()) {
  const auto pick = [](int from, int to) { return *rc::gen::inRange(from, to + 1); };
  const int count = pick(2, 4), rounds = pick(10, 60), uneven = pick(0, 9) == 0 ? 1 : 0;
  const bool joined = pick(0, 3) != 0;  // else streams may run ahead of each other
  std::vector<StepPart> steps(static_cast<std::size_t>(pick(1, 6)));
  for (StepPart& step : steps) step = {pick(0, 5), pick(0, 2), pick(0, 2), 100 * pick(1, 9)};
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  for (int r = 0; r < count; ++r) {
    Rank& rank = ranks[static_cast<std::size_t>(r)];
    std::uint64_t tails[3] = {rank.comp(ns(100)), rank.comp(ns(200)), rank.comp(ns(150 + 50 * r))};
    for (int round = 0; round < rounds + r * uneven; ++round) {
      int number = 0;
      for (const StepPart& step : steps) add_step(rank, step, number++, r, count, round, tails);
      if (!joined) continue;
      const std::uint64_t all = rank.comp(ns(300), {tails[0], tails[1], tails[2]});
      std::fill(std::begin(tails), std::end(tails), all);
    }
    rank.comp(ns(100), {tails[0], tails[1]});
  }
  platform::Platform platform = orrery_line(count);
  platform.device.memory = Bandwidth(1e9);
  platform.collectives.splits = static_cast<std::uint32_t>(pick(1, 3));
  platform.collectives.queues_per_dim = pick(1, 3);
  platform.collectives.active_chunks = pick(1, 3);
  platform.collectives.policy =
      pick(0, 1) == 0 ? platform::SchedulingPolicy::fifo : platform::SchedulingPolicy::lifo;
  if (pick(0, 3) == 0)
    platform.deviations = {{.ranks = {1}, .compute_time = 1.5, .start = ns(700)}};
  Options options;
  options.fold = pick(0, 1) == 1;
  options.closed_forms = pick(0, 4) != 0;
  RC_TAG(skipped(workload(ranks), platform, options) > 0 ? "skipped" : "not skipped");
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/parts/parallel_parts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <tuple>

#include "orrery/sim/result_difference.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Platform;
using testing::Deps;
using testing::line;
using testing::Rank;
using testing::workload;

ParallelParts parts_of(const graph::Workload& work, const Platform& platform) {
  const auto network = model::make_network(platform);
  Communicators communicators;
  EXPECT_TRUE(communicators.make(work, platform.rules));
  return find_parts(work, platform, *network, communicators, FoldedWorkload(work.rank_count()));
}

/// Everything that must not depend on threads, beyond what first_difference looks at.
std::vector<std::string> predicted(const SimResult& result) {
  std::vector<std::string> all{std::to_string(result.messages),
                               std::to_string(result.savings.phases_by_closed_form),
                               std::to_string(result.savings.phases_by_messages)};
  for (const Finding& finding : result.findings.list()) {
    all.push_back(std::to_string(static_cast<int>(finding.code)) + ": " +
                  std::to_string(finding.count));
    all.insert(all.end(), finding.places.begin(), finding.places.end());
  }
  for (const CriticalPathNode& link : result.path) {
    all.push_back("rank " + std::to_string(link.rank) + " node " + std::to_string(link.node) +
                  " from " + std::to_string(link.start.count()) + " to " +
                  std::to_string(link.end.count()));
  }
  if (!result.stall) return all;
  for (const StalledNode& node : result.stall->nodes) all.push_back(node.why);
  all.insert(all.end(), result.stall->circle.begin(), result.stall->circle.end());
  return all;
}

/// Runs on 1, 2, 3 and 8 threads, folded and not, by messages and by closed forms; all must be the
/// same. Returns the most parts that any of them had.
std::uint32_t run_in_all_modes(const graph::Workload& work, const Platform& platform) {
  std::uint32_t parts = 1;
  for (const bool fold : {false, true}) {
    for (const bool closed_forms : {false, true}) {
      Options options;
      options.fold = fold;
      options.closed_forms = closed_forms;
      options.skip_repeats = false;
      const auto whole = simulate(work, platform, options);
      for (const std::uint32_t threads : {2u, 3u, 8u}) {
        options.threads = threads;
        const auto cut = simulate(work, platform, options);
        EXPECT_EQ(whole.has_value(), cut.has_value());
        if (!whole || !cut) {
          if (!whole && !cut) {
            EXPECT_EQ(to_string(whole.error()), to_string(cut.error()));
          }
          continue;
        }
        EXPECT_EQ(first_difference(*whole, *cut).value_or(""), "") << threads;
        EXPECT_EQ(predicted(*whole), predicted(*cut)) << threads;
        parts = std::max(parts, cut->savings.parts);
      }
    }
  }
  return parts;
}

/// Four stages of two tensor ranks and two data ranks (rank = tp + 2 × dp + 4 × stage): all-reduces
/// within the stage, activations to the next, gradients back, and in the end the data ranks.
graph::Workload pipeline(std::uint32_t stages, std::uint32_t batches, Time compute) {
  std::vector<Rank> ranks(std::size_t{stages} * 4);
  graph::Workload made;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    Rank& rank = ranks[r];
    const std::uint32_t stage = r / 4;
    const std::string tp = "tp" + std::to_string(r / 2),
                      dp = "dp" + std::to_string(stage * 2 + r % 2);
    made.groups[tp] = {tp, {r / 2 * 2, r / 2 * 2 + 1}};
    made.groups[dp] = {dp, {stage * 4 + r % 2, stage * 4 + r % 2 + 2}};
    Deps last;
    for (std::uint32_t b = 0; b < batches; ++b) {
      Deps deps = last;
      if (stage > 0) deps.push_back(rank.recv(static_cast<int>(r) - 4, 40'000, b));
      const auto work = rank.comp(compute + ns(stage), deps);
      const auto sum = rank.coll(CollectiveType::all_reduce, 9'999, {work}, tp);
      if (stage + 1 < stages) rank.send(static_cast<int>(r) + 4, 40'000, b, {sum});
      last = {sum};
    }
    for (std::uint32_t b = 0; b < batches; ++b) {
      Deps deps = last;
      if (stage + 1 < stages) deps.push_back(rank.recv(static_cast<int>(r) + 4, 30'000, 1000 + b));
      const auto work = rank.comp(2 * compute, deps);
      if (stage > 0) rank.send(static_cast<int>(r) - 4, 30'000, 1000 + b, {work});
      last = {work};
    }
    rank.coll(CollectiveType::all_reduce, 123'456, last, dp);
  }
  graph::Workload graphs = workload(ranks);
  made.graphs = std::move(graphs.graphs);
  made.graph_of_rank = std::move(graphs.graph_of_rank);
  return made;
}

/// Ranks that begin at different times and send to ever farther ranks: none does what another does.
graph::Workload out_of_step(std::uint32_t count, std::uint32_t messages) {
  std::vector<Rank> ranks(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    Deps last{ranks[r].comp(us(1 + 7919 * std::int64_t{r} % count))};
    const Deps first = last;
    for (std::uint32_t m = 0; m < messages; ++m) {
      const std::uint32_t from = (r + count - 1 - m % (count - 1)) % count;
      last = {ranks[r].send(static_cast<int>((r + 1 + m % (count - 1)) % count),
                            1000 + 13 * std::int64_t{r} + 101 * std::int64_t{m}, m, last)};
      ranks[r].recv(static_cast<int>(from), 1000 + 13 * std::int64_t{from} + 101 * std::int64_t{m},
                    m, first);
    }
  }
  return workload(ranks);
}

Platform two_levels(std::int64_t below, std::int64_t above) {
  Platform made = line(Block::switched, below);
  made.dims.push_back({Block::switched, above, Bandwidth(5e8), 3000.0});
  for (auto* plan : {&made.collectives.all_reduce, &made.collectives.all_gather,
                     &made.collectives.reduce_scatter, &made.collectives.all_to_all}) {
    plan->per_dim = {{Algorithm::ring, -1}, {Algorithm::direct, -1}};
  }
  made.collectives.endpoint_delay = ns(10);
  return made;
}

TEST(ParallelParts, AreTheStagesOfAPipeline) {
  const auto work = pipeline(4, 3, us(20));
  const ParallelParts parts = parts_of(work, two_levels(4, 4));
  EXPECT_EQ(parts.count, 4u);
  for (std::uint32_t r = 0; r < 16; ++r) EXPECT_EQ(parts.part_of[r], r / 4);
  const std::int64_t hop = (us(6) + us(60)).count();  // two hops, 30,000 bytes at 0.5 GB/s
  const std::int64_t on = (us(6) + us(80)).count();   // 40,000 bytes forward
  EXPECT_EQ(parts.ahead(1, 0), hop);
  EXPECT_EQ(parts.ahead(0, 1), on);
  EXPECT_EQ(parts.ahead(3, 0), 3 * hop);
  EXPECT_EQ(parts.ahead(0, 3), 3 * on);
  EXPECT_EQ(parts.ahead(2, 2), hop + on);
}

TEST(ParallelParts, AreOneWhereAllRanksMeetOrTimeCannotPass) {
  std::vector<Rank> ranks(4);
  for (Rank& rank : ranks) rank.coll(CollectiveType::all_reduce, 400);
  EXPECT_EQ(parts_of(workload(ranks), line(Block::ring, 4)).why_one, "collectives join all ranks");
  auto platform = line(Block::switched, 8);
  platform.dims[0].latency_ns = 0;
  std::vector<Rank> senders(8);
  for (int r = 0; r < 8; ++r) senders[static_cast<std::size_t>(r)].send((r + 1) % 8, 0);
  EXPECT_EQ(parts_of(workload(senders), platform).why_one, "messages take no time");
  platform.rules = platform::Rules::astra;
  EXPECT_EQ(parts_of(out_of_step(8, 1), platform).why_one,
            "ASTRA rules depend on the order of events");
}

TEST(ParallelParts, KeepMembersOfAGroupTogetherAndAreAtMostSoMany) {
  const auto work = out_of_step(1000, 2);
  const ParallelParts parts = parts_of(work, line(Block::switched, 1000));
  EXPECT_EQ(parts.count, ParallelParts::kMaxParts);
  EXPECT_TRUE(std::is_sorted(parts.part_of.begin(), parts.part_of.end()));
  EXPECT_EQ(std::set<std::uint32_t>(parts.part_of.begin(), parts.part_of.end()).size(),
            ParallelParts::kMaxParts);
}

TEST(PartsInThreads, PipelineIsTheSame) {
  EXPECT_GE(run_in_all_modes(pipeline(4, 5, us(20)), two_levels(4, 4)), 2u);
  EXPECT_GE(run_in_all_modes(pipeline(4, 5, ns(700)), two_levels(4, 4)), 2u);
}

// Iterations that may be skipped need an engine that sees all ranks.
TEST(PartsInThreads, GiveWayToSkipping) {
  const auto work = pipeline(4, 40, us(20));
  Options options;
  options.threads = 2;
  const auto one = simulate(work, two_levels(4, 4), options);
  options.skip_repeats = false;
  const auto four = simulate(work, two_levels(4, 4), options);
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->savings.parts, 1u);
  EXPECT_EQ(four->savings.parts, 4u);
  EXPECT_EQ(first_difference(*one, *four).value_or(""), "");
}

TEST(PartsInThreads, RanksThatDeviateAreTheSame) {
  auto platform = two_levels(4, 4);
  platform.deviations.push_back({.ranks = {5, 6}, .compute_time = 1.7, .start = us(3)});
  EXPECT_GE(run_in_all_modes(pipeline(4, 5, us(2)), platform), 2u);
}

TEST(PartsInThreads, PatternOutOfStepIsTheSame) {
  EXPECT_GE(run_in_all_modes(out_of_step(64, 16), line(Block::switched, 64)), 2u);
}

// Enough events per window that threads really work at the same time.
TEST(PartsInThreads, ManyRanksAreTheSame) {
  auto platform = line(Block::switched, 2048);
  platform.dims[0].latency_ns = 100'000;
  const auto work = out_of_step(2048, 8);
  const auto whole = simulate(work, platform);
  ASSERT_TRUE(whole);
  for (const std::uint32_t threads : {2u, 8u}) {
    Options options;
    options.skip_repeats = false;
    options.threads = threads;
    std::uint32_t calls = 0;
    options.progress = [&](std::uint32_t, std::uint64_t) { ++calls; };
    const auto cut = simulate(work, platform, options);
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->savings.parts, ParallelParts::kMaxParts);
    EXPECT_EQ(first_difference(*whole, *cut).value_or(""), "");
    EXPECT_EQ(predicted(*whole), predicted(*cut));
  }
}

TEST(PartsInThreads, WhatCannotFinishOrFailsIsToldOfAlike) {
  auto work = [](bool bad) {
    std::vector<Rank> ranks(8);
    for (int r = 0; r < 8; ++r) {
      Rank& rank = ranks[static_cast<std::size_t>(r)];
      rank.send((r + 1) % 8, 500, 1, {rank.comp(us(r))});
      rank.recv((r + 7) % 8, 500, 1);
      if (r == 5) rank.recv(2, 77, 9);
      if (r == 3 && bad) rank.send(99, 1);
      if (r == 6) rank.send(1, 88, 3);  // no rank receives it
    }
    return workload(ranks);
  };
  run_in_all_modes(work(false), line(Block::switched, 8));
  run_in_all_modes(work(true), line(Block::switched, 8));
}

// Random ranks in pairs that compute, access memory, sum up and send to whomever.
RC_GTEST_PROP(PartsInThreads, RandomWorkloadsAreTheSame, ()) {
  const auto pairs = *rc::gen::inRange<std::uint32_t>(2, 7);
  const auto count = 2 * pairs;
  std::vector<Rank> ranks(count);
  std::vector<Deps> last(count);
  std::vector<std::vector<std::uint64_t>> nodes(count);
  graph::Workload made;
  const auto time = rc::gen::map(rc::gen::inRange(0, 6), [](int t) { return ns(t * 900); });
  // What a node waits for: one of the newest, or nothing.
  const auto pick = [&](std::uint32_t r) -> Deps {
    const auto back = *rc::gen::inRange<std::size_t>(0, 4);
    if (back >= nodes[r].size()) return {};
    return {nodes[r][nodes[r].size() - 1 - back]};
  };
  for (auto steps = *rc::gen::inRange(1, 40); steps > 0; --steps) {
    const auto r = *rc::gen::inRange<std::uint32_t>(0, count);
    const auto kind = *rc::gen::inRange(0, 5);
    const auto size = *rc::gen::element<std::int64_t>(1, 1000, 5000);
    if (kind == 0) nodes[r].push_back(ranks[r].comp(*time, pick(r)));
    if (kind == 1) nodes[r].push_back(ranks[r].load(size, pick(r)));
    if (kind == 2) {
      const std::string name = "pair" + std::to_string(r / 2);
      made.groups[name] = {name, {r / 2 * 2, r / 2 * 2 + 1}};
      for (const std::uint32_t m : {r / 2 * 2, r / 2 * 2 + 1})
        nodes[m].push_back(ranks[m].coll(CollectiveType::all_reduce, size, pick(m), name));
    }
    if (kind < 3) continue;
    const auto to = *rc::gen::inRange<std::uint32_t>(0, count);
    const auto tag = *rc::gen::inRange<std::uint32_t>(0, 2);
    nodes[r].push_back(ranks[r].send(static_cast<int>(to), size, tag, pick(r)));
    nodes[to].push_back(ranks[to].recv(static_cast<int>(r), size, tag, pick(to)));
  }
  for (Rank& rank : ranks) rank.comp(ns(5));
  graph::Workload graphs = workload(ranks);
  made.graphs = std::move(graphs.graphs);
  made.graph_of_rank = std::move(graphs.graph_of_rank);
  auto platform = two_levels(2, pairs);
  platform.device.memory = Bandwidth(1e9);
  run_in_all_modes(made, platform);
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace orrery::sim

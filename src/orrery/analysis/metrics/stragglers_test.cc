// SPDX-License-Identifier: Apache-2.0
//
// The sums over timelines give the figures of the definition, which visits every span of every
// rank.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/result/random_run_testing.h"

namespace orrery::analysis {
namespace {

using result::kNone;
using result::Run;
using result::Span;
using result::SpanKind;
using RankPair = std::pair<std::uint32_t, std::uint32_t>;

/// The definition: each wait of each rank, one by one.
struct Definition {
  explicit Definition(const Run& run) : ranks(run.ranks.size()) {
    std::set<std::uint32_t> counted;  // collectives
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      ranks[r].rank = r;
      for (const Span& span : run.timeline(r).spans) {
        if (span.wait <= Time{}) continue;
        ranks[r].waited = saturating_sum(ranks[r].waited, span.wait);
        const std::uint32_t other = other_rank(run, r, span);
        if (other == kNone || other == r) continue;
        ranks[other].caused_wait = saturating_sum(ranks[other].caused_wait, span.wait);
        pairs[{r, other}] = saturating_sum(pairs[{r, other}], span.wait);
        if (span.kind == SpanKind::collective && counted.insert(run.collective_of(r, span)).second)
          ++ranks[other].times_last;
      }
    }
  }

  static std::uint32_t other_rank(const Run& run, std::uint32_t rank, const Span& span) {
    if (span.kind != SpanKind::collective)
      return span.distance == kNone ? kNone : run.peer(rank, span.distance);
    const result::Collective* one = run.stored_collective_of(rank, span);
    if (one == nullptr || !one->joined) return kNone;
    return run.last_rank(*one, run.ranks[rank].groups[span.group]);
  }

  std::vector<Straggler> ranks;
  std::map<RankPair, Time> pairs;
};

/// Lets groups with as many collectives share them.
void share_collectives(Run& run) {
  std::map<std::uint32_t, std::uint32_t> stored;  // by count
  for (result::Group& group : run.groups) {
    if (group.count > 0) group.stored = stored.try_emplace(group.count, group.stored).first->second;
  }
}

void expect_as_defined(const Run& run) {
  const Definition all(run);
  const Stragglers found = stragglers(run);
  std::size_t listed = 0;
  for (const Straggler& one : found.ranks) {
    const Straggler& expected = all.ranks[one.rank];
    EXPECT_EQ(one.caused_wait, expected.caused_wait);
    EXPECT_EQ(one.waited, expected.waited);
    EXPECT_EQ(one.times_last, expected.times_last);
  }
  for (const Straggler& one : all.ranks)
    listed += one.caused_wait > Time{} || one.waited > Time{} || one.times_last > 0 ? 1 : 0;
  EXPECT_EQ(found.ranks.size(), listed);
  std::vector<std::tuple<Time, std::uint32_t, std::uint32_t>> worst;
  for (const auto& [pair, time] : all.pairs)
    worst.emplace_back(Time{} - time, pair.first, pair.second);
  std::sort(worst.begin(), worst.end());
  ASSERT_EQ(found.worst.size(), std::min<std::size_t>(worst.size(), 10));
  for (std::size_t i = 0; i < found.worst.size(); ++i)
    EXPECT_EQ(worst[i], std::tuple(Time{} - found.worst[i].time, found.worst[i].waiter,
                                   found.worst[i].straggler));
}

TEST(Stragglers, AreAsDefined) {
  std::size_t waiting = 0, last = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    result::Run run = result::testing::RandomRun(seed).make();
    if (seed % 2 == 1) share_collectives(run);
    expect_as_defined(run);
    for (const Straggler& one : stragglers(run).ranks) {
      waiting += one.waited > Time{} ? 1 : 0;
      last += one.times_last;
    }
  }
  EXPECT_GT(waiting, 200u);  // the runs have waits of both kinds
  EXPECT_GT(last, 10u);
}

}  // namespace
}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/communication_delays.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/exchanges_testing.h"

namespace orrery::bench {
namespace {

using profile::CommKind;
using ::testing::HasSubstr;

/// One rank of four, whose collectives take 1, 2, 3 … microseconds.
result::Run run_with(const std::vector<std::pair<std::string, std::int64_t>>& collectives) {
  result::Run run;
  run.ranks.resize(1);
  run.ranks[0].groups = {0};
  run.timelines.resize(1);
  run.groups.resize(1);
  run.groups[0].size = 4;
  std::uint32_t sequence = 0;
  Time now{};
  for (const auto& [type, bytes] : collectives) {
    result::Span span;
    span.kind = result::SpanKind::collective;
    span.node = 100 + sequence;
    span.bytes = Bytes(bytes);
    span.group = 0;
    span.sequence = sequence++;
    span.start = now;
    span.end = now = now + Time(1'000'000 * std::int64_t{sequence});
    run.timelines[0].spans.push_back(span);
    result::Collective collective;
    collective.type = type;
    run.collectives.push_back(collective);
    ++run.groups[0].count;
  }
  return run;
}

std::vector<std::int64_t> delays_in_us(const ReplayPlan& plan) {
  std::vector<std::int64_t> delays;
  for (const Exchange& exchange : plan.exchanges)
    delays.push_back(exchange.delay_ns < 0 ? -1 : exchange.delay_ns / 1000);
  return delays;
}

// By kind and size, in their order; the whole buffer of an all-gather is four times one's part.
TEST(Delays, AreFoundByKindAndSize) {
  const result::Run run = run_with({{"all_reduce", 64},
                                    {"all_reduce", 32},
                                    {"all_gather", 64},
                                    {"all_reduce", 64},
                                    {"all_reduce", 64}});
  ReplayPlan plan =
      plan_with({exchange_of(CommKind::all_reduce, 32), exchange_of(CommKind::all_reduce, 64),
                 exchange_of(CommKind::all_reduce, 64), exchange_of(CommKind::all_gather, 16)});
  const auto report = set_delays(plan, run, 0);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(delays_in_us(plan), (std::vector<std::int64_t>{2, 1, 4, 3}));
  EXPECT_EQ(report->delays, 4u);
  EXPECT_EQ(report->run, 5u);
}

// Ranks that send differently much are simulated with the most; what fits exactly goes first.
TEST(Delays, AllToAllMayBeOfMore) {
  const result::Run run = run_with({{"all_to_all", 128}, {"all_to_all", 64}});
  ReplayPlan plan =
      plan_with({exchange_of(CommKind::all_to_all, 48), exchange_of(CommKind::all_to_all, 64),
                 exchange_of(CommKind::coalesced, 8)});
  ASSERT_TRUE(set_delays(plan, run, 0));
  EXPECT_EQ(delays_in_us(plan), (std::vector<std::int64_t>{1, 2, 0}));
}

TEST(Delays, WhatDoesNotFitIsNamed) {
  result::Run run = run_with({{"all_reduce", 64}, {"all_reduce", 32}});
  ReplayPlan plan =
      plan_with({exchange_of(CommKind::all_reduce, 64), exchange_of(CommKind::all_reduce, 128)});
  const auto wrong_size = set_delays(plan, run, 0);
  ASSERT_FALSE(wrong_size);
  EXPECT_EQ(wrong_size.error().code, Errc::input_mismatch);
  EXPECT_THAT(wrong_size.error().what,
              HasSubstr("all_reduce of 128 B as communication 2 of 2, but the run has only these "
                        "left of that kind: 1 of 32 B"));
  ReplayPlan another = plan_with({exchange_of(CommKind::broadcast, 64)});
  EXPECT_THAT(set_delays(another, run, 0).error().what, HasSubstr("left of that kind: none"));
  EXPECT_THAT(set_delays(plan, run, 7).error().what, HasSubstr("rank 7"));
  run.spans = result::SpanChoice::critical;
  EXPECT_EQ(set_delays(plan, run, 0).error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::bench

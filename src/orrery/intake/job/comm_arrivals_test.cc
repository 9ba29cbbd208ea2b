// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/comm_arrivals.h"

#include <gtest/gtest.h>

#include <utility>

namespace orrery::intake {
namespace {

using profile::CommKind;

/// Ranks of one group whose clocks agree.
Job job_of(std::uint32_t ranks) {
  Job job;
  job.groups.push_back({});
  for (std::uint32_t r = 0; r < ranks; ++r) {
    job.ranks.push_back({.rank = r + 4, .rank_from = "", .device = {}, .host = {}});
    job.groups[0].ranks.push_back(r + 4);
    job.common_origin.push_back({});
    job.clock_root.push_back(0);
  }
  job.comms.resize(ranks);
  return job;
}

JobComm& add(Job& job, std::uint32_t place, CommKind kind, std::uint32_t sequence,
             std::int64_t start, std::int64_t end) {
  JobComm use;
  use.kind = kind;
  use.group = 0;
  use.sequence = sequence;
  use.match = Match::matched;
  use.start = us(start);
  use.end = us(end);
  job.comms[place].push_back(use);
  return job.comms[place].back();
}

TEST(CommArrivals, TheLastRankWaitsForNone) {
  Job job = job_of(3);
  job.common_origin[2] = us(100);  // its own clock is 100 us behind
  add(job, 0, CommKind::all_reduce, 0, 150, 400);
  add(job, 1, CommKind::all_reduce, 0, 300, 401);
  add(job, 2, CommKind::all_reduce, 0, 60, 300);
  add(job, 0, CommKind::all_gather, 1, 500, 510);
  add(job, 1, CommKind::all_gather, 1, 490, 511);
  add(job, 2, CommKind::all_gather, 1, 405, 411);
  const auto all = comm_arrivals(job);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, CommKind::all_reduce);
  EXPECT_EQ(all[0].state, ArrivalState::known);
  EXPECT_EQ(all[0].ranks[all[0].last].place, 1u);
  EXPECT_EQ(all[0].skew, us(150));
  EXPECT_EQ(all[0].transfer, us(101));
  EXPECT_EQ(all[0].end_spread, us(1));
  EXPECT_EQ(all[0].first_arrival(), us(150));
  EXPECT_EQ(all[1].ranks[all[1].last].place, 2u);
  EXPECT_EQ(all[1].skew, us(15));
  EXPECT_EQ(all[1].transfer, us(6));
}

TEST(CommArrivals, UnknownWhereClocksOrPeersAre) {
  Job job = job_of(2);
  add(job, 0, CommKind::all_reduce, 0, 10, 20);  // ends before the other begins
  add(job, 1, CommKind::all_reduce, 0, 30, 40);
  add(job, 0, CommKind::broadcast, 1, 50, 60);  // the root need not wait
  add(job, 1, CommKind::broadcast, 1, 65, 70);
  add(job, 0, CommKind::all_reduce, 2, 80, 90).match = Match::alone;
  add(job, 1, CommKind::all_reduce, 2, 80, 90).match = Match::unmatched;
  auto all = comm_arrivals(job);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].state, ArrivalState::impossible);
  EXPECT_EQ(all[0].skew, Time{});
  EXPECT_EQ(all[1].state, ArrivalState::known);
  EXPECT_EQ(all[1].skew, us(15));
  EXPECT_EQ(all[2].state, ArrivalState::alone);
  EXPECT_EQ(all[3].state, ArrivalState::unmatched);
  job.clock_root[1] = 1;
  all = comm_arrivals(job);
  EXPECT_EQ(all[1].state, ArrivalState::unrelated);
}

TEST(CommArrivals, ASendAndItsReceiveAreOne) {
  Job job = job_of(3);
  add(job, 0, CommKind::send, 0, 10, 30).peer = 5;
  add(job, 1, CommKind::recv, 0, 5, 30).peer = 4;
  add(job, 1, CommKind::send, 0, 40, 50).peer = 4;  // the other direction
  add(job, 0, CommKind::recv, 0, 45, 50).peer = 5;
  add(job, 2, CommKind::wait, 0, 1, 2);
  add(job, 2, CommKind::send, 1, 1, 2).queued = true;
  const auto all = comm_arrivals(job);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, CommKind::send);
  EXPECT_EQ(all[0].ranks.size(), 2u);
  EXPECT_EQ(all[0].ranks[all[0].last].place, 0u);
  EXPECT_EQ(all[0].skew, us(5));
  EXPECT_EQ(all[1].skew, us(5));
}

}  // namespace
}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/intake/job/job_testing.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum CommKind;

/// Ranks 0 … n-1 of a job of n, each with the same all-reduces in the default group.
std::vector<RankMaker> equivalent(std::uint32_t ranks, int comms) {
  std::vector<RankMaker> out;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    out.emplace_back(r, ranks);
    const auto group = out.back().group("0", {}, "default_pg");
    out.back().comms.sizes[group] = static_cast<std::int32_t>(ranks);
    for (int i = 0; i < comms; ++i)
      out.back().use(all_reduce, 1000 + i, 100 * i, 100 * i + 50, group);
  }
  return out;
}

std::vector<std::string> names(const Job& job) {
  std::vector<std::string> out;
  for (const graph::ProcessGroup& group : job.groups) out.push_back(group.name);
  return out;
}

TEST(JobMatch, EveryCollectiveFindsItsPartners) {
  const Job job = united(equivalent(4, 3));
  EXPECT_EQ(job.matched, 3u);
  EXPECT_EQ(job.unmatched, 0u);
  EXPECT_EQ(job.alone, 0u);
  EXPECT_EQ(job.world_size, 4u);
  EXPECT_THAT(names(job), ElementsAre("0"));
  EXPECT_TRUE(job.groups[0].ranks.empty()) << "all";
  EXPECT_TRUE(job.findings.empty());
  EXPECT_TRUE(mismatches(job, 10).empty());
  EXPECT_EQ(job.comms[3][2].sequence, 2u);
  EXPECT_EQ(job.comms[3][2].match, Match::matched);
}

TEST(JobMatch, NamesThatDifferBetweenRanks) {
  // Groups are made in one order everywhere, but count up differently where a rank makes more.
  RankMaker a(0, 4), b(1, 4);
  const auto a0 = a.group("7", {0, 1}, "mesh_tp"), a1 = a.group("8", {0, 1}, "mesh_dp");
  const auto b0 = b.group("9", {0, 1}, "mesh_tp"), b1 = b.group("10", {0, 1}, "mesh_dp");
  a.use(all_reduce, 1, 0, 1, a0), a.use(all_gather, 2, 2, 3, a1);
  b.use(all_reduce, 1, 0, 1, b0), b.use(all_gather, 2, 2, 3, b1);
  const Job job = united({a, b});
  EXPECT_EQ(job.matched, 2u);
  EXPECT_EQ(job.unmatched, 0u);
  EXPECT_THAT(names(job), ElementsAre("mesh_dp", "mesh_tp"));
  EXPECT_EQ(job.group_of[0][a1], job.group_of[1][b1]);
}

TEST(JobMatch, OneNameForSeveralGroups) {
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 4; ++r) {
    ranks.emplace_back(r, 4);
    const std::uint32_t first = r < 2 ? 0 : 2;
    const auto group = ranks.back().group("1", {first, first + 1});
    ranks.back().use(all_reduce, 8, 0, 1, group);
  }
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 2u);
  EXPECT_THAT(names(job), ElementsAre("1@0-1", "1@2-3"));
  EXPECT_TRUE(job.group_conflicts.empty());
}

TEST(JobMatch, GroupsThatNothingDescribes) {
  // PyTorch before 2.3: a group is the address of an object, without its ranks.
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) {
    ranks.emplace_back(r, 2);
    ranks.back().use(all_reduce, 8, 0, 1, ranks.back().group(r == 0 ? "9459410" : "9459777", {}));
  }
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 1u);
  EXPECT_THAT(names(job), ElementsAre("all"));
  EXPECT_EQ(job.findings.count(FindingCode::group_unknown), 2u);
}

TEST(JobMatch, AGuessedGroupContradictsNothing) {
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 2; ++r) ranks.emplace_back(r, 128);
  for (const std::int64_t bytes : {8, 16, 32}) ranks[0].use(all_reduce, bytes, bytes, bytes + 1);
  for (const std::int64_t bytes : {16, 64, 32}) ranks[1].use(all_reduce, bytes, bytes, bytes + 1);
  ranks[0].use(all_to_all, 7, 100, 110);
  ranks[1].use(all_to_all, 9, 0, 1);
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 3u);
  EXPECT_EQ(job.alone, 2u);
  EXPECT_EQ(job.unmatched, 0u);
  EXPECT_EQ(job.findings.count(FindingCode::comm_alone), 2u);
  EXPECT_TRUE(mismatches(job, 10).empty());
}

TEST(JobMatch, DisorderIsNoShift) {
  // Two alike steps; the ranks begin some in another order.
  std::vector<RankMaker> ranks;
  const int orders[2][4] = {{4, 1, 2, 3}, {4, 2, 1, 3}};
  for (std::uint32_t r = 0; r < 2; ++r) {
    ranks.emplace_back(r, 2);
    const auto group = ranks.back().group("0", {0, 1});
    for (int step = 0; step < 2; ++step) {
      for (int i = 0; i < 4; ++i)
        ranks.back().use(all_reduce, orders[step == 0 ? r : 0][i], 100 * step + 10 * i,
                         100 * step + 10 * i + 5, group);
    }
  }
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 8u);
  EXPECT_EQ(job.comms[1][0].sequence, 0u);
}

TEST(JobMatch, MembersByUseWhenOnlyTheSizeIsKnown) {
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 3; ++r) {
    ranks.emplace_back(r, 3);
    const auto group = ranks.back().group("tp", {});
    ranks.back().comms.sizes[group] = 2;
    if (r != 1) ranks.back().use(all_reduce, 8, 0, 1, group);
  }
  const Job job = united(ranks);
  EXPECT_THAT(job.groups[0].ranks, ElementsAre(0, 2));
  EXPECT_EQ(job.matched, 1u);
  EXPECT_EQ(job.findings.count(FindingCode::group_unknown), 0u);
}

TEST(JobMatch, AnotherTypeOrSizeIsShownSideBySide) {
  auto ranks = equivalent(3, 3);
  ranks[1].comms.uses[1].kind = all_gather;
  ranks[2].comms.uses[2].bytes = 4096;
  const Job job = united(ranks);
  EXPECT_EQ(job.unmatched, 1u);
  EXPECT_EQ(job.matched, 2u) << "another size is no other communication";
  EXPECT_EQ(job.findings.count(FindingCode::comm_unmatched), 1u);
  const auto found = mismatches(job, 10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, "types differ");
  EXPECT_EQ(found[0].left,
            "rank 0 (r0.json): all_reduce of 1001 bytes #1 in group '0', nccl:all_reduce at "
            "0.100 ms");
  EXPECT_THAT(found[0].right, HasSubstr("rank 1 (r1.json): all_gather of 1001 bytes #1"));
  EXPECT_EQ(found[1].what, "bytes differ");
  EXPECT_THAT(found[1].right, HasSubstr("4096"));
  EXPECT_EQ(mismatches(job, 1).size(), 1u);
}

TEST(JobMatch, AllToAllsMayDifferInSize) {
  auto ranks = equivalent(2, 1);
  ranks[0].comms.uses[0].kind = ranks[1].comms.uses[0].kind = all_to_all;
  ranks[0].comms.uses[0].bytes = 24;
  EXPECT_TRUE(mismatches(united(ranks), 10).empty());
}

TEST(JobMatch, APartnerThatIsMissing) {
  auto ranks = equivalent(2, 3);
  ranks[1].comms.uses.pop_back();
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 2u);
  EXPECT_EQ(job.unmatched, 1u);
  EXPECT_EQ(job.comms[0][2].match, Match::unmatched);
  const auto found = mismatches(job, 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "a rank does not take part in this communication");
  EXPECT_THAT(found[0].left, HasSubstr("#2"));
  EXPECT_THAT(found[0].right, HasSubstr("rank 1 (r1.json): 2 collectives in group '0'"));
}

TEST(JobMatch, ATraceThatBeginsLater) {
  // Rank 1 was recorded from the third collective on and one longer.
  auto ranks = equivalent(2, 8);
  auto& late = ranks[1].comms.uses;
  late.erase(late.begin(), late.begin() + 2);
  late.push_back(late.back());
  late.back().bytes = 77;
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 6u);
  EXPECT_EQ(job.unmatched, 3u);
  EXPECT_EQ(job.comms[1][0].sequence, 2u);
}

TEST(JobMatch, EndsTellAlikeCollectivesApart) {
  std::vector<RankMaker> ranks;
  const int ends[] = {10, 31, 47, 80, 99, 130, 144, 190};
  for (std::uint32_t r = 0; r < 2; ++r) {
    ranks.emplace_back(r, 2);
    const auto group = ranks.back().group("0", {0, 1});
    for (int i = r == 0 ? 0 : 1; i < 8; ++i)
      ranks.back().use(all_reduce, 8, ends[i] - 5, ends[i], group);
  }
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 7u);
  EXPECT_EQ(job.comms[1][0].sequence, 1u);
}

TEST(JobMatch, RecordedNumbersCount) {
  auto ranks = equivalent(2, 4);
  for (std::uint32_t r = 0; r < 2; ++r) {
    for (std::size_t i = 0; i < 4; ++i)
      ranks[r].comms.uses[i].recorded_sequence = static_cast<std::int64_t>(100 + i + 2 * r);
    for (JobComm& use : ranks[r].comms.uses) use.bytes = 8;
  }
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 2u);
  EXPECT_EQ(job.unmatched, 4u);
  EXPECT_EQ(job.comms[1][0].sequence, 2u);
}

TEST(JobMatch, SendsMeetReceives) {
  std::vector<RankMaker> ranks;
  for (std::uint32_t r = 0; r < 3; ++r) ranks.emplace_back(r, 3);
  const auto add = [&](std::uint32_t r, CommKind kind, std::int32_t peer, std::int64_t bytes) {
    if (ranks[r].comms.groups.empty()) ranks[r].group("pp", {0, 1, 2});
    ranks[r].use(kind, bytes, 0, 1, 0).peer = peer;
  };
  add(0, send, 1, 8), add(0, send, 2, 16), add(0, send, 1, 24);
  add(1, recv, 0, 8), add(1, recv, 0, 32);
  add(2, recv, 1, 8);
  const Job job = united(ranks);
  EXPECT_EQ(job.matched, 2u);
  EXPECT_EQ(job.unmatched, 2u);
  std::vector<std::string> what;
  for (const Mismatch& found : mismatches(job, 10)) what.push_back(found.what);
  EXPECT_THAT(what, ::testing::UnorderedElementsAre("bytes differ", "no receive for this send",
                                                    "no send for this receive"));
}

TEST(JobMatch, RanksThatAreNotThere) {
  RankMaker a(0, 128), b(1, 128);
  std::vector<std::uint32_t> far = {0, 64};
  a.use(all_reduce, 8, 0, 1, a.group("dp", far));
  a.use(send, 8, 2, 3, a.group("pp", {0, 32})).peer = 32;
  const auto all = [](RankMaker& rank) {
    const auto group = rank.group("0", {});
    rank.comms.sizes[group] = 128;
    rank.use(all_reduce, 8, 5, 6, group);
  };
  all(a), all(b);
  const Job job = united({a, b});
  EXPECT_EQ(job.world_size, 128u);
  EXPECT_EQ(job.matched, 1u);
  EXPECT_EQ(job.alone, 2u);
  EXPECT_EQ(job.findings.count(FindingCode::comm_alone), 2u);
  EXPECT_TRUE(mismatches(job, 10).empty());
}

TEST(JobMatch, AGroupThatTheRankIsNotOf) {
  RankMaker a(0, 3), b(1, 3), c(2, 3);
  for (RankMaker* rank : {&a, &b, &c}) rank->use(all_reduce, 8, 0, 1, rank->group("tp", {1, 2}));
  const auto found = mismatches(united({a, b, c}), 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "a rank communicates in a group that it does not belong to");
  EXPECT_NE(found[0].left.find("rank 0"), std::string::npos) << found[0].left;
  EXPECT_EQ(found[0].right, "group 'tp' has ranks 1, 2");
}

TEST(JobMatch, MembersThatRanksDisagreeAbout) {
  RankMaker a(0, 3), b(1, 3), c(2, 3);
  a.use(all_reduce, 8, 0, 1, a.group("tp", {0, 1}));
  b.use(all_reduce, 8, 0, 1, b.group("tp", {1, 2}));
  c.use(all_reduce, 8, 0, 1, c.group("tp", {1, 2}));
  const Job job = united({a, b, c});
  const auto found = mismatches(job, 10);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, "members of a group differ");
  EXPECT_EQ(found[0].left, "rank 0 (r0.json): group 'tp' has ranks 0-1");
  EXPECT_EQ(found[0].right, "rank 1 (r1.json): group 'tp' has ranks 1-2");
}

TEST(JobMatch, DifferentNumbersOfIterations) {
  auto ranks = equivalent(2, 1);
  ranks[0].comms.steps = {us(10), us(11)};
  ranks[1].comms.steps = {us(10)};
  const auto found = mismatches(united(ranks), 10);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "numbers of iterations differ");
  EXPECT_EQ(found[0].left, "rank 0 (r0.json): 2 iterations");
  EXPECT_EQ(found[0].right, "rank 1 (r1.json): 1 iterations");
}

TEST(JobMatch, RanksOfDifferentJobs) {
  const auto job = try_united({RankMaker(0, 2), RankMaker(1, 8)});
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, Errc::input_mismatch);
  EXPECT_EQ(job.error().where, "r1.json");
  EXPECT_THAT(job.error().what, HasSubstr("r0.json"));
}

}  // namespace
}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
//
// Runs that cannot finish, and workloads that are refused.
#include <gtest/gtest.h>

#include "orrery/sim/sim_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Block;
using platform::Rules;
using testing::line;
using testing::Rank;
using testing::replicated;
using testing::workload;

TEST(Stall, AReceiveOfAnotherSizeNamesWhatDidArrive) {
  std::vector<Rank> ranks(2);
  ranks[0].send(1, 1000, 7);
  ranks[1].recv(0, 2000, 7);
  const auto result = simulate(workload(ranks), line(Block::ring, 2));
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(result->stall.has_value());
  EXPECT_EQ(result->stall->unfinished_ranks, 1u);
  ASSERT_EQ(result->stall->nodes.size(), 1u);
  EXPECT_EQ(result->stall->nodes[0].why,
            "receive of 2000 bytes, tag 7, from rank 0: no matching send arrived; a send of 1000 "
            "bytes arrived");
  EXPECT_FALSE(result->ranks[1].finish.has_value());
  EXPECT_TRUE(result->ranks[0].finish.has_value());
}

TEST(Stall, ACircleOfReceivesIsNamed) {
  std::vector<Rank> ranks(3);
  for (int r = 0; r < 3; ++r) {
    const auto waits = ranks[static_cast<std::size_t>(r)].recv((r + 1) % 3, 8);
    ranks[static_cast<std::size_t>(r)].send((r + 2) % 3, 8, 0, {waits});
  }
  const auto result = simulate(workload(ranks), line(Block::ring, 3));
  ASSERT_TRUE(result.has_value() && result->stall.has_value());
  EXPECT_EQ(result->stall->circle, (std::vector<std::string>{"rank 0", "rank 1", "rank 2"}));
}

TEST(Stall, AMissingMemberOfACollectiveIsNamed) {
  std::vector<Rank> ranks(3);
  ranks[0].coll(CollectiveType::all_reduce, 900);
  ranks[1].comp(us(1));
  ranks[2].coll(CollectiveType::all_reduce, 900);
  const auto result = simulate(workload(ranks), line(Block::ring, 3));
  ASSERT_TRUE(result.has_value() && result->stall.has_value());
  EXPECT_EQ(
      result->stall->nodes[0].why,
      "all_reduce of 900 bytes in group \"\": 1 members have not issued it; the first is rank 1");
}

struct Refused {
  const char* what;
  Errc code;
  void (*build)(std::vector<Rank>& ranks, platform::Platform& platform);
};

const Refused kRefused[] = {
    {"unknown group", Errc::input_group,
     [](auto& ranks, auto&) { ranks[0].coll(CollectiveType::all_reduce, 8, {}, "nobody"); }},
    {"no chunks", Errc::config_range,
     [](auto& ranks, auto& platform) {
       ranks[0].coll(CollectiveType::all_reduce, 8);
       platform.collectives.splits = 0;
     }},
    {"too many chunks", Errc::limit_exceeded,
     [](auto& ranks, auto& platform) {
       ranks[0].coll(CollectiveType::all_reduce, std::int64_t{1} << 50);
       platform.collectives.splits = std::int64_t{1} << 40;
     }},
    {"no algorithm", Errc::config_missing_key,
     [](auto& ranks, auto& platform) {
       ranks[0].coll(CollectiveType::all_gather, 8);
       platform.collectives.all_gather.per_dim.clear();
     }},
    {"halving-doubling of three", Errc::config_conflict,
     [](auto& ranks, auto& platform) {
       ranks[0].coll(CollectiveType::all_reduce, 8);
       platform.collectives.all_reduce.per_dim = {{platform::Algorithm::halving_doubling, -1}};
     }},
    {"peer beyond the last rank", Errc::input_range,
     [](auto& ranks, auto&) { ranks[0].send(3, 8); }},
    {"negative peer", Errc::input_range, [](auto& ranks, auto&) { ranks[0].recv(-1, 8); }},
    {"unknown collective", Errc::input_unsupported,
     [](auto& ranks, auto&) { ranks[0].coll(CollectiveType::unknown, 8); }},
    {"broken clock", Errc::config_range,
     [](auto& ranks, auto&) { ranks[0].comp(Time(std::int64_t{1} << 62)); }},
    {"endless message", Errc::config_range,
     [](auto& ranks, auto& platform) {
       ranks[0].send(1, 1'000'000'000);
       platform.dims[0].bandwidth = Bandwidth(1e-6);
     }},
    {"no custom algorithm", Errc::input_not_found,
     [](auto& ranks, auto& platform) {
       ranks[0].coll(CollectiveType::all_reduce, 8);
       platform.collectives.all_reduce.custom_prefix = "nowhere";
     }},
    {"no queues", Errc::config_range,
     [](auto& ranks, auto& platform) {
       ranks[0].comp(us(1));
       platform.collectives.queues_per_dim = 0;
     }},
};

TEST(Refused, EachImpossibleWorkloadWithItsCode) {
  for (const Refused& refused : kRefused) {
    for (const Rules rules : {Rules::orrery, Rules::astra}) {
      std::vector<Rank> ranks(3);
      auto platform = line(Block::ring, 3);
      platform.rules = rules;
      refused.build(ranks, platform);
      ranks[1].comp(us(1));
      ranks[2].comp(us(1));
      const auto result = simulate(workload(ranks), platform);
      ASSERT_FALSE(result.has_value()) << refused.what;
      EXPECT_EQ(result.error().code, refused.code)
          << refused.what << ": " << to_string(result.error());
    }
  }
}

TEST(Refused, MissingAttributesAndWrongRankCounts) {
  Rank rank;
  rank.comp(Time{});
  auto platform = line(Block::ring, 4);
  EXPECT_EQ(simulate(replicated(rank, 3), platform).error().code, Errc::config_conflict);
  Rank bare;
  bare.comp(us(1));
  platform.rules = Rules::astra;
  platform.device.compute = TimeSource::roofline;
  EXPECT_EQ(simulate(replicated(bare, 4), platform).error().code, Errc::input_missing_attr);
  EXPECT_EQ(simulate(graph::Workload{}, platform).error().code, Errc::input_empty);
}

// When nothing moves any more is when the last message came, whether or not it was sent.
TEST(Stall, IsAtTheSameTimeWithClosedForms) {
  std::vector<Rank> ranks(4);
  for (std::uint32_t r = 0; r < 3; ++r) ranks[r].coll(CollectiveType::all_reduce, 4'000);
  const graph::Workload workload = testing::workload(ranks);
  const platform::Platform platform = line(platform::Block::ring, 4);
  Options options;
  options.closed_forms = false;
  const auto messages = simulate(workload, platform, options);
  for (const bool fold : {false, true}) {
    options.closed_forms = true;
    options.fold = fold;
    const auto forms = simulate(workload, platform, options);
    ASSERT_TRUE(messages && forms && messages->stall && forms->stall);
    EXPECT_EQ(messages->stall->at, forms->stall->at);
    EXPECT_GT(forms->stall->at, Time{});
    EXPECT_EQ(messages->messages, forms->messages);
    EXPECT_EQ(forms->savings.phases_by_closed_form, 0u);
  }
}

}  // namespace
}  // namespace orrery::sim

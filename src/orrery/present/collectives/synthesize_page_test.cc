// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/synthesize_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "orrery/synthesis/fabric/fabric_state_testing.h"

namespace orrery::present {
namespace {

using graph::CollectiveType;
using report::kNotShown;
using report::PageSchedule;
using study::CollectiveSynthesisAnswer;

constexpr CollectiveType kTypes[] = {CollectiveType::all_gather, CollectiveType::reduce_scatter,
                                     CollectiveType::all_reduce, CollectiveType::all_to_all,
                                     CollectiveType::broadcast,  CollectiveType::reduce};

Result<CollectiveSynthesisAnswer> made_if(synthesis::FabricState fabric_state, CollectiveType type,
                                          std::vector<std::vector<std::uint32_t>> groups = {},
                                          Bytes bytes = Bytes{1 << 20}) {
  CollectiveSynthesisAnswer answer;
  answer.fabric_state = std::move(fabric_state);
  synthesis::SynthesisQuestion question;
  question.type = type;
  question.bytes = bytes;
  question.groups = std::move(groups);
  auto found = synthesis::synthesize(answer.fabric_state, question);
  if (!found) return tl::unexpected(found.error());
  answer.made = std::move(*found);
  answer.collective = graph::name(type);
  answer.size = bytes;
  return answer;
}

CollectiveSynthesisAnswer made(synthesis::FabricState fabric_state, CollectiveType type,
                               std::vector<std::vector<std::uint32_t>> groups = {},
                               Bytes bytes = Bytes{1 << 20}) {
  return made_if(std::move(fabric_state), type, std::move(groups), bytes).value();
}

/// Six devices with two switches between them; some links are down, some slow.
Result<CollectiveSynthesisAnswer> random_one(std::uint64_t seed, CollectiveType type) {
  std::vector<std::vector<std::uint32_t>> groups;
  if (seed % 3 == 1) groups = {{0, 1, 2}, {3, 4, 5}};
  if (seed % 3 == 2) groups = {{0, 1, 2, 3}, {2, 3, 4}, {5, 0}};
  return made_if(synthesis::random_fabric(seed, {.devices = 6, .more_links = 8, .down = 4}), type,
                 groups);
}

Time arrival(const PageSchedule& page, const PageSchedule::Send& send) {
  return send.start + send.duration + page.routes[send.route].latency;
}

/// What a sender had, and since when: an earlier send of the piece, to who sends it on.
void expect_brought(const PageSchedule& page) {
  for (std::size_t i = 0; i < page.sends.size(); ++i) {
    const PageSchedule::Send& send = page.sends[i];
    EXPECT_LE(send.ready, send.start);
    if (send.before == kNotShown) {
      EXPECT_EQ(send.ready, Time{});
      const std::uint32_t from = page.pieces[send.piece].from;
      EXPECT_TRUE(from == kNotShown || from == page.routes[send.route].from);
      continue;
    }
    ASSERT_LT(send.before, i);
    const PageSchedule::Send& before = page.sends[send.before];
    EXPECT_EQ(before.piece, send.piece);
    EXPECT_EQ(page.routes[before.route].to, page.routes[send.route].from);
    EXPECT_EQ(arrival(page, before), send.ready);
  }
}

/// By link, the bytes of the sends over it.
std::vector<std::int64_t> carried(const PageSchedule& page) {
  std::vector<std::int64_t> bytes(page.links.size());
  for (const PageSchedule::Send& send : page.sends) {
    for (const auto& [link, after] : page.routes[send.route].links) {
      bytes[link] += page.pieces[send.piece].bytes;
      EXPECT_LE(after, page.routes[send.route].latency);
    }
  }
  return bytes;
}

TEST(SynthesisPage, HasEverySendAndWhatBroughtIt) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    for (const CollectiveType type : kTypes) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << graph::name(type));
      const auto answer = random_one(seed, type);
      if (!answer) {
        EXPECT_EQ(answer.error().code, Errc::config_conflict);  // what is down parts the ranks
        continue;
      }
      ++tried;
      const PageSchedule page = synthesis_page(*answer);
      EXPECT_EQ(page.sends.size(), answer->made.schedule.sends.size());
      EXPECT_EQ(page.groups.size(), answer->made.schedule.groups.size());
      EXPECT_EQ(page.links_left_out + page.sends_left_out, 0U);
      Time last{};
      for (const PageSchedule::Send& send : page.sends) last = std::max(last, arrival(page, send));
      EXPECT_EQ(last, page.time);
      EXPECT_GE(page.time, page.bound);
      expect_brought(page);
      const std::vector<std::int64_t> bytes = carried(page);
      for (std::size_t link = 0; link < bytes.size(); ++link)
        EXPECT_EQ(bytes[link], page.links[link].bytes) << page.links[link].name;
    }
  }
  EXPECT_GE(tried, 72U);
}

// Where all links carry something, those that bind are all there.
TEST(SynthesisPage, MarksTheLinksThatBind) {
  const PageSchedule page =
      synthesis_page(made(synthesis::mesh({4, 4}), CollectiveType::all_gather));
  std::set<std::string> names;
  for (const PageSchedule::Link& link : page.links) {
    if (link.binds) names.insert(link.name);
  }
  EXPECT_EQ(page.cut, "traffic into npu0");
  EXPECT_EQ(names, (std::set<std::string>{"npu1 -> npu0", "npu4 -> npu0"}));
}

TEST(SynthesisPage, SaysWhosePiecesAre) {
  const auto owners = [](CollectiveType type) {
    const PageSchedule page = synthesis_page(made(synthesis::mesh({2, 3}), type));
    std::set<std::string> names;
    for (const PageSchedule::Piece& piece : page.pieces)
      names.insert(piece.owner == kNotShown ? "nobody" : page.nodes[piece.owner]);
    return names;
  };
  const std::set<std::string> all = {"npu0", "npu1", "npu2", "npu3", "npu4", "npu5"};
  EXPECT_EQ(owners(CollectiveType::all_gather), all);
  EXPECT_EQ(owners(CollectiveType::reduce_scatter), all);
  EXPECT_EQ(owners(CollectiveType::all_reduce), all);  // who has the sum first
  EXPECT_EQ(owners(CollectiveType::all_to_all), all);
  EXPECT_EQ(owners(CollectiveType::broadcast), std::set<std::string>{"npu0"});
  EXPECT_EQ(owners(CollectiveType::reduce), std::set<std::string>{"npu0"});
}

TEST(SynthesisPage, NamesTheRanksOfGroups) {
  const PageSchedule page = synthesis_page(
      made(synthesis::torus({4, 4}), CollectiveType::all_gather, {{0, 1, 2, 3}, {4, 8, 12}}));
  ASSERT_EQ(page.groups.size(), 2U);
  EXPECT_EQ(page.groups[0].ranks, "ranks 0-3");
  EXPECT_EQ(page.groups[1].ranks, "ranks 4, 8, 12");
}

// Whole links are left out: of a link that is there, all sends are.
TEST(SynthesisPage, LeavesOutWholeLinksThatBindLast) {
  for (const CollectiveType type : kTypes) {
    SCOPED_TRACE(graph::name(type));
    const CollectiveSynthesisAnswer answer = made(synthesis::rails(4), type);
    const PageSchedule whole = synthesis_page(answer);
    for (const std::size_t most : {whole.sends.size() / 2, whole.sends.size() / 10}) {
      const PageSchedule page = synthesis_page(answer, {.max_sends = most});
      EXPECT_LE(page.sends.size(), most);
      EXPECT_EQ(page.sends.size() + page.sends_left_out, whole.sends.size());
      EXPECT_EQ(page.links.size() + page.links_left_out, whole.links.size());
      EXPECT_GT(page.links_left_out, 0U);
      const std::vector<std::int64_t> bytes = carried(page);
      for (std::size_t link = 0; link < bytes.size(); ++link)
        EXPECT_EQ(bytes[link], page.links[link].bytes);
    }
  }
}

TEST(SynthesisPage, TakesTheLinksThatBindFirst) {
  const CollectiveSynthesisAnswer answer =
      made(synthesis::mesh({6, 6}), CollectiveType::all_gather);
  const PageSchedule whole = synthesis_page(answer);
  std::size_t over = 0;
  for (const PageSchedule::Send& send : whole.sends)
    over += whole.links[whole.routes[send.route].links.front().first].binds ? 1 : 0;
  ASSERT_GT(over, 0U);
  const PageSchedule page = synthesis_page(answer, {.max_sends = over});
  ASSERT_EQ(page.links.size(), 2U);
  for (const PageSchedule::Link& link : page.links) EXPECT_TRUE(link.binds) << link.name;
  EXPECT_EQ(page.sends.size(), over);
  // What brought a piece to the last link came over one that is left out.
  EXPECT_TRUE(std::any_of(page.sends.begin(), page.sends.end(), [](const auto& send) {
    return send.before == kNotShown && send.ready > Time{};
  }));
}

TEST(SynthesisPage, OfNothingIsEmpty) {
  for (const CollectiveType type : kTypes) {
    const PageSchedule page = synthesis_page(made(synthesis::mesh({2, 2}), type, {}, Bytes{0}));
    EXPECT_TRUE(page.sends.empty() && page.links.empty() && page.pieces.empty());
    EXPECT_EQ(page.time, Time{});
    EXPECT_EQ(page.cut, "");
    EXPECT_FALSE(page.facts.empty());
  }
}

}  // namespace
}  // namespace orrery::present

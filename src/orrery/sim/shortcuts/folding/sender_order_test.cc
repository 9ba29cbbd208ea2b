// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/sender_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace orrery::sim {
namespace {

using ::testing::ElementsAre;

/// The colors of links that carry `messages`, which are ascending by sender.
struct Classified {
  Classified(std::vector<CarriedMessage> messages, std::vector<std::uint32_t> class_of,
             std::uint32_t classes, std::uint32_t links, std::vector<bool> ordered = {})
      : order(std::move(messages), links, std::move(ordered)), colors(links) {
    const std::vector<std::uint32_t> kinds(links, 0);
    order.classify(RankPartition(std::move(class_of), classes), kinds, colors);
  }
  [[nodiscard]] model::EquivalentLinks links() const {
    model::EquivalentLinks made;
    for (std::uint32_t link = 0; link < colors.size(); ++link) {
      std::uint32_t first = 0;
      while (colors[first] != colors[link]) ++first;
      made.first.push_back(first);
    }
    order.add_to(made);
    return made;
  }

  SenderOrder order;
  std::vector<std::uint32_t> colors;
};

// Ranks 0 and 3 are of one class, 1 and 2 of another; 0 and 1 send over link 0, 2 and 3 over link
// 1.
const std::vector<CarriedMessage> kCrossed = {
    {0, 0, 0, 0}, {0, 1, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0}};

TEST(SenderOrder, LinksWithTheSameSendersInAnotherOrderAreEquivalentButNotOrdered) {
  const Classified made(kCrossed, {0, 1, 1, 0}, 2, 2);
  EXPECT_EQ(made.colors[0], made.colors[1]);
  const model::EquivalentLinks links = made.links();
  EXPECT_THAT(links.senders, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(links.places, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(links.place(1, 3), 0u);
  EXPECT_FALSE(links.is_ordered(0));
  EXPECT_FALSE(links.is_ordered(1));
}

TEST(SenderOrder, InOneOrderTheyAreOrdered) {
  const Classified made(kCrossed, {0, 1, 0, 1}, 2, 2);
  EXPECT_EQ(made.colors[0], made.colors[1]);
  EXPECT_THAT(made.links().places, ElementsAre(0, 1, 0, 1));
  EXPECT_TRUE(made.links().is_ordered(1));
}

TEST(SenderOrder, WhereTheOrderCountsTheyDiffer) {
  const Classified crossed(kCrossed, {0, 1, 1, 0}, 2, 2, {true, true});
  EXPECT_NE(crossed.colors[0], crossed.colors[1]);
  EXPECT_TRUE(crossed.links().is_ordered(0) && crossed.links().is_ordered(1));
  const Classified same(kCrossed, {0, 1, 0, 1}, 2, 2, {true, true});
  EXPECT_EQ(same.colors[0], same.colors[1]);
}

// Each link has two senders of one class, of which one waits for the other.
TEST(SenderOrder, EquivalentSendersOfOneLinkHaveDifferentRoles) {
  const Classified made(kCrossed, {0, 0, 0, 0}, 1, 2);
  EXPECT_EQ(made.colors[0], made.colors[1]);
  EXPECT_NE(made.order.role(0), made.order.role(1));
  EXPECT_EQ(made.order.role(0), made.order.role(2));
  EXPECT_EQ(made.order.role(1), made.order.role(3));
}

// One of them also sends another message there: it is the same input twice, so they differ.
TEST(SenderOrder, SendersWithSomeEqualInputsHaveDifferentRoles) {
  const Classified made({{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}}, {0, 0}, 1, 1);
  EXPECT_EQ(made.order.role(0), made.order.role(1));
  EXPECT_NE(made.order.role(0), made.order.role(2));
}

// A message crosses two equivalent links, as the first and as the second of its route.
TEST(SenderOrder, HopsAreDifferentInputs) {
  const Classified made({{0, 0, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 0}, {0, 1, 0, 1}}, {0, 0}, 1, 2);
  EXPECT_EQ(made.colors[0], made.colors[1]);
  EXPECT_NE(made.order.role(0), made.order.role(1));
  EXPECT_EQ(made.order.role(0), made.order.role(2));
  EXPECT_THAT(made.links().places, ElementsAre(0, 1, 1, 0));
}

}  // namespace
}  // namespace orrery::sim

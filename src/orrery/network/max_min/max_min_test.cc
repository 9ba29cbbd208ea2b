// SPDX-License-Identifier: Apache-2.0
//
// Rates that can be worked out by hand, and what else max_min.h promises.
#include "orrery/network/max_min/max_min.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace orrery::model {
namespace {

using Hop = MaxMin::Hop;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<Hop> over(std::initializer_list<std::uint32_t> links) {
  std::vector<Hop> hops;
  for (const std::uint32_t link : links) hops.push_back({link, 1});
  return hops;
}

std::vector<std::uint32_t> solved(MaxMin& solver) {
  const std::span<const std::uint32_t> changed = solver.solve();
  return {changed.begin(), changed.end()};
}

// A flow over all links of a chain, others over one each. The more there are on a link, the less
// the long one gets everywhere.
TEST(MaxMin, ParkingLot) {
  MaxMin solver({1, 1, 1});
  const std::uint32_t whole = solver.add(over({0, 1, 2}));
  const std::uint32_t first = solver.add(over({0}));
  const std::uint32_t second = solver.add(over({1}));
  const std::uint32_t third = solver.add(over({1}));
  const std::uint32_t last = solver.add(over({2}));
  solver.solve();
  EXPECT_DOUBLE_EQ(solver.rate(whole), 1.0 / 3);
  EXPECT_DOUBLE_EQ(solver.rate(first), 2.0 / 3);
  EXPECT_DOUBLE_EQ(solver.rate(second), 1.0 / 3);
  EXPECT_DOUBLE_EQ(solver.rate(third), 1.0 / 3);
  EXPECT_DOUBLE_EQ(solver.rate(last), 2.0 / 3);
  for (std::uint32_t link = 0; link < 3; ++link) EXPECT_DOUBLE_EQ(solver.load(link), 1);

  solver.remove(third);
  EXPECT_THAT(solved(solver), UnorderedElementsAre(whole, first, second, last));
  for (const std::uint32_t flow : {whole, first, second, last}) EXPECT_EQ(solver.rate(flow), 0.5);
}

TEST(MaxMin, OneAloneHasItsNarrowestLink) {
  MaxMin solver({10, 4, 7});
  const std::uint32_t flow = solver.add(over({0, 1, 2}));
  EXPECT_THAT(solved(solver), ElementsAre(flow));
  EXPECT_EQ(solver.rate(flow), 4);
  EXPECT_EQ(solver.load(0), 4);
}

// A change reaches flows that share no link with it, in turns up and down: one comes to the first
// link, its neighbor falls, the neighbor's neighbor rises, and so on.
TEST(MaxMin, ChangesGoOn) {
  MaxMin solver({1, 2, 4, 8});
  const std::uint32_t a = solver.add(over({0, 1}));
  const std::uint32_t b = solver.add(over({1, 2}));
  const std::uint32_t c = solver.add(over({2, 3}));
  solver.solve();
  EXPECT_THAT((std::vector{solver.rate(a), solver.rate(b), solver.rate(c)}), ElementsAre(1, 1, 3));
  const std::uint32_t guest = solver.add(over({0}));
  EXPECT_THAT(solved(solver), UnorderedElementsAre(guest, a, b, c));
  EXPECT_THAT((std::vector{solver.rate(a), solver.rate(b), solver.rate(c)}),
              ElementsAre(0.5, 1.5, 2.5));
  solver.remove(guest);
  solver.solve();
  EXPECT_THAT((std::vector{solver.rate(a), solver.rate(b), solver.rate(c)}), ElementsAre(1, 1, 3));
}

TEST(MaxMin, OthersTakeWhatOneWithACapLeaves) {
  MaxMin solver({12});
  const std::uint32_t slow = solver.add(over({0}), 2);
  const std::uint32_t a = solver.add(over({0}));
  const std::uint32_t b = solver.add(over({0}), 100);
  solver.solve();
  EXPECT_EQ(solver.rate(slow), 2);
  EXPECT_EQ(solver.rate(a), 5);
  EXPECT_EQ(solver.rate(b), 5);
  solver.add(over({0}), 0);
  EXPECT_EQ(solved(solver).size(), 1u);
  EXPECT_EQ(solver.load(0), 12);
}

// Weights and shares: two sprayed over two links of their own put half of their rate on each.
TEST(MaxMin, SprayedFlowsPutAPartOnEachLink) {
  MaxMin solver({100, 100, 10, 10});
  const std::vector<Hop> hops = {{0, 1}, {2, 0.5}, {3, 0.5}, {1, 1}};
  const std::uint32_t sprayed = solver.add(hops);
  solver.solve();
  EXPECT_EQ(solver.rate(sprayed), 20);
  EXPECT_EQ(solver.load(2), 10);
  EXPECT_EQ(solver.load(0), 20);
  // One that takes one of the links gets as much as the other: 10 = x + x / 2.
  const std::uint32_t straight = solver.add(over({0, 2, 1}));
  solver.solve();
  EXPECT_DOUBLE_EQ(solver.rate(sprayed), 20.0 / 3);
  EXPECT_DOUBLE_EQ(solver.rate(straight), 20.0 / 3);
}

TEST(MaxMin, NamingALinkTwiceAddsItsShares) {
  MaxMin solver({6, 100});
  const std::vector<Hop> hops = {{0, 1}, {1, 1}, {0, 0.5}};
  for (int again = 0; again < 3; ++again) {
    const std::uint32_t flow = solver.add(hops);
    EXPECT_EQ(flow, 0u);
    solver.solve();
    EXPECT_EQ(solver.rate(flow), 4);
    EXPECT_EQ(solver.load(0), 6);
    EXPECT_EQ(solver.load(1), 4);
    solver.remove(flow);
    solver.solve();
  }
}

TEST(MaxMin, AWeightIsAsManyFlows) {
  MaxMin together({60, 40, 7});
  MaxMin apart({60, 40, 7});
  const std::uint32_t all = together.add(over({0, 1}), 9, 5);
  std::vector<std::uint32_t> each;
  for (int i = 0; i < 5; ++i) each.push_back(apart.add(over({0, 1}), 9));
  const std::uint32_t other = together.add(over({1, 2}), MaxMin::kUnlimited, 2);
  const std::uint32_t one = apart.add(over({1, 2}));
  const std::uint32_t two = apart.add(over({1, 2}));
  together.solve();
  apart.solve();
  EXPECT_DOUBLE_EQ(together.rate(all), 6.6);
  EXPECT_EQ(together.rate(other), 3.5);
  for (const std::uint32_t flow : each) EXPECT_DOUBLE_EQ(apart.rate(flow), together.rate(all));
  EXPECT_EQ(apart.rate(one), apart.rate(two));
  EXPECT_EQ(apart.rate(one), together.rate(other));
  for (std::uint32_t link = 0; link < 3; ++link)
    EXPECT_DOUBLE_EQ(apart.load(link), together.load(link));
}

// Others join and leave those that there are.
TEST(MaxMin, AWeightMayChange) {
  MaxMin solver({12, 100});
  const std::vector<Hop> hops = {{0, 1}, {1, 0.25}, {0, 0.5}};
  const std::uint32_t many = solver.add(hops);
  const std::uint32_t one = solver.add(over({0}));
  solver.solve();
  EXPECT_DOUBLE_EQ(solver.rate(many), 4.8);
  solver.set_weight(many, 3);
  EXPECT_THAT(solved(solver), UnorderedElementsAre(many, one));
  EXPECT_DOUBLE_EQ(solver.rate(many), 12 / 5.5);
  EXPECT_DOUBLE_EQ(solver.load(1), 0.75 * 12 / 5.5);
  solver.set_weight(many, 1);
  EXPECT_THAT(solved(solver), UnorderedElementsAre(many, one));
  EXPECT_DOUBLE_EQ(solver.rate(one), 4.8);
  solver.set_weight(many, 1);
  EXPECT_THAT(solved(solver), IsEmpty());
}

TEST(MaxMin, LinksGoDownAndComeBack) {
  MaxMin solver({10, 10});
  const std::uint32_t a = solver.add(over({0, 1}));
  const std::uint32_t b = solver.add(over({1}));
  solver.solve();
  solver.set_capacity(0, 0);
  EXPECT_THAT(solved(solver), UnorderedElementsAre(a, b));
  EXPECT_EQ(solver.rate(a), 0);
  EXPECT_EQ(solver.rate(b), 10);
  EXPECT_EQ(solver.load(0), 0);
  const std::uint32_t c = solver.add(over({0}));
  EXPECT_THAT(solved(solver), ElementsAre(c));
  EXPECT_EQ(solver.rate(c), 0);
  solver.set_capacity(0, 3);
  solver.set_capacity(1, MaxMin::kUnlimited);
  EXPECT_THAT(solved(solver), UnorderedElementsAre(a, b, c));
  EXPECT_EQ(solver.rate(a), 1.5);
  EXPECT_EQ(solver.rate(b), MaxMin::kUnlimited);
  EXPECT_EQ(solver.load(1), MaxMin::kUnlimited);
  solver.set_capacity(1, 10);
  EXPECT_THAT(solved(solver), ElementsAre(b));
  EXPECT_EQ(solver.rate(b), 8.5);
}

TEST(MaxMin, WithoutLinksThereIsOnlyTheCap) {
  MaxMin solver({});
  const std::uint32_t capped = solver.add({}, 3);
  const std::uint32_t free = solver.add({});
  EXPECT_THAT(solved(solver), ElementsAre(capped, free));
  EXPECT_EQ(solver.rate(capped), 3);
  EXPECT_EQ(solver.rate(free), MaxMin::kUnlimited);
  EXPECT_THAT(solved(solver), IsEmpty());
}

// Flows that begin and end between two solves are not reported; a number that is reused is new.
TEST(MaxMin, OnlyChangesAreTold) {
  MaxMin solver({4, 4});
  const std::uint32_t a = solver.add(over({0}));
  const std::uint32_t b = solver.add(over({1}));
  EXPECT_THAT(solved(solver), ElementsAre(a, b));
  EXPECT_THAT(solved(solver), IsEmpty());
  solver.remove(solver.add(over({0})));
  EXPECT_THAT(solved(solver), IsEmpty());
  solver.remove(a);
  EXPECT_THAT(solved(solver), IsEmpty());
  solver.remove(b);
  EXPECT_EQ(solver.add(over({0})), a);
  EXPECT_THAT(solved(solver), ElementsAre(a));
  EXPECT_EQ(solver.rate(a), 4);
}

// Whether few of a link's flows go at once, many, or all: what stays gets what it would alone.
TEST(MaxMin, HoweverManyGoAtOnce) {
  for (const std::size_t go : {1, 2, 6, 7, 50, 99, 100}) {
    SCOPED_TRACE(go);
    MaxMin solver({100, 70, 3, 50});
    std::vector<std::uint32_t> flows;
    const auto way = [](std::uint32_t i) { return over({i % 2, 2 + i % 7 % 2}); };
    for (std::uint32_t i = 0; i < 100; ++i) flows.push_back(solver.add(way(i), 1 + i % 3));
    solver.solve();
    for (std::size_t i = 0; i < go; ++i) solver.remove(flows[i * 37 % 100]);
    const std::uint32_t late = solver.add(over({0, 1, 2, 3}));
    solver.solve();
    MaxMin afresh({100, 70, 3, 50});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equivalent;
    for (std::size_t i = go; i < 100; ++i) {
      const auto retained = static_cast<std::uint32_t>(i * 37 % 100);
      equivalent.emplace_back(flows[retained], afresh.add(way(retained), 1 + retained % 3));
    }
    equivalent.emplace_back(late, afresh.add(over({0, 1, 2, 3})));
    afresh.solve();
    for (const auto& [flow, same] : equivalent)
      EXPECT_NEAR(solver.rate(flow), afresh.rate(same), 1e-12 * afresh.rate(same));
  }
}

TEST(MaxMin, AlikeEndsInOneSolve) {
  constexpr std::uint32_t kHosts = 64;
  MaxMin solver(std::vector<double>(2 * kHosts, 63));
  std::vector<std::uint32_t> flows;
  for (std::uint32_t from = 0; from < kHosts; ++from) {
    for (std::uint32_t to = 0; to < kHosts; ++to) {
      if (from != to) flows.push_back(solver.add(over({from, kHosts + to})));
    }
  }
  EXPECT_EQ(solved(solver), flows);
  for (const std::uint32_t flow : flows) ASSERT_EQ(solver.rate(flow), 1);
}

/// 1,024 hosts on leaves of 32 and as many spines; a flow takes any spine.
class LargeFabric : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kHosts = 1024;

  void send_from(std::uint32_t from) {
    const auto draw = [&] { return static_cast<std::uint32_t>(random_() % kHosts); };
    const std::uint32_t to = (from + 1 + draw() % (kHosts - 1)) % kHosts;
    const std::uint32_t spine = draw() % 32;
    std::vector<Hop> hops = over({from, kHosts + to});
    if (from / 32 != to / 32) {
      hops.push_back({2 * kHosts + from / 32 * 32 + spine, 1});
      hops.push_back({3 * kHosts + to / 32 * 32 + spine, 1});
    }
    const double cap = draw() % 4 == 0 ? 1e9 * (1 + draw() % 50) : MaxMin::kUnlimited;
    const std::uint32_t flow = solver_.add(hops, cap);
    if (flow >= flows_.size()) flows_.resize(flow + 1);
    flows_[flow] = {hops, cap};
    present_.push_back(flow);
  }
  void replace_any() {
    std::uint32_t& flow = present_[random_() % present_.size()];
    const std::uint32_t from = flows_[flow].first.front().link;
    solver_.remove(flow);
    flow = present_.back();
    present_.pop_back();
    send_from(from);
  }

  /// The condition in max_min.h, for every flow.
  void expect_bottlenecks() const {
    std::vector<double> load(std::size_t{4} * kHosts, 0);
    std::vector<double> fastest(load.size(), 0);
    for (const std::uint32_t flow : present_) {
      for (const Hop& hop : flows_[flow].first) {
        load[hop.link] += solver_.rate(flow);
        fastest[hop.link] = std::max(fastest[hop.link], solver_.rate(flow));
      }
    }
    for (std::uint32_t link = 0; link < load.size(); ++link) {
      ASSERT_LE(load[link], solver_.capacity(link) * (1 + 1e-12));
      ASSERT_NEAR(load[link], solver_.load(link), 1e-12 * solver_.capacity(link));
    }
    for (const std::uint32_t flow : present_) {
      const auto& [hops, cap] = flows_[flow];
      const double rate = solver_.rate(flow);
      const bool held = std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) {
        const bool full = load[hop.link] >= solver_.capacity(hop.link) * (1 - 1e-12);
        return full && rate >= fastest[hop.link] * (1 - 1e-12);
      });
      ASSERT_TRUE(held || rate == cap);
    }
  }

  std::mt19937_64 random_{1};
  MaxMin solver_{std::vector<double>(std::size_t{4} * kHosts, 50e9)};
  std::vector<std::pair<std::vector<Hop>, double>> flows_;
  std::vector<std::uint32_t> present_;
};

TEST_F(LargeFabric, EveryFlowHasABottleneck) {
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    for (int flow = 0; flow < 4; ++flow) send_from(host);
  }
  for (int solve = 0; solve < 600 && !HasFailure(); ++solve) {
    for (std::uint64_t change = random_() % 4; change > 0; --change) replace_any();
    solver_.solve();
    expect_bottlenecks();
  }
}

// A million changes later rates are what they are from nothing, and links that are left carry
// nothing at all.
TEST_F(LargeFabric, NothingAddsUp) {
  for (std::uint32_t host = 0; host < kHosts; ++host) send_from(host);
  solver_.set_capacity(0, 1e3);
  for (int solve = 0; solve < 200'000; ++solve) {
    replace_any();
    solver_.solve();
  }
  MaxMin anew = solver_;
  anew.solve_from_scratch();
  for (const std::uint32_t flow : present_)
    ASSERT_NEAR(solver_.rate(flow), anew.rate(flow), 1e-12 * anew.rate(flow));
  for (const std::uint32_t flow : present_) solver_.remove(flow);
  solver_.solve();
  for (std::uint32_t link = 0; link < solver_.link_count(); ++link)
    ASSERT_EQ(solver_.load(link), 0);
}

}  // namespace
}  // namespace orrery::model

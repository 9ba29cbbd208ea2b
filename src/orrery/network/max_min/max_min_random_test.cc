// SPDX-License-Identifier: Apache-2.0
//
// Rates after every change on random networks, against filling all links at once. Solvers that go
// on from the rates before have been wrong here and right on rings, stars and all-to-all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "orrery/network/max_min/max_min.h"

namespace orrery::model {
namespace {

using Hop = MaxMin::Hop;
using Random = std::mt19937_64;

struct TestFlow {
  std::vector<Hop> hops;
  double cap = MaxMin::kUnlimited;
  std::uint32_t weight = 1;
  bool present = false;
  double rate = 0;  ///< as the solver said last
};

/// Progressive filling, as textbooks have it: all rates rise together; the flows of the link that
/// is full first, or that flow whose cap comes first, stop.
class Filling {
 public:
  Filling(const std::vector<double>& capacities, const std::vector<TestFlow>& flows)
      : flows_(flows), left_(capacities), rising_(capacities.size(), 0), rates_(flows.size(), -1) {
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (flows[flow].present) count(flow, 1);
    }
    while (step()) {
    }
  }
  [[nodiscard]] double rate(std::size_t flow) const { return rates_[flow]; }

 private:
  [[nodiscard]] bool rises(std::size_t flow) const {
    return flows_[flow].present && rates_[flow] < 0;
  }
  // Sums are made anew each time: what is left may be far less than what was there.
  void count(std::size_t flow, double sign) {
    for (const Hop& hop : flows_[flow].hops)
      rising_[hop.link] += sign * hop.share * flows_[flow].weight;
  }
  void recount() {
    std::fill(rising_.begin(), rising_.end(), 0.0);
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (rises(flow)) count(flow, 1);
    }
  }
  void stop(std::size_t flow, double rate) {
    rates_[flow] = rate;
    for (const Hop& hop : flows_[flow].hops)
      left_[hop.link] -= hop.share * flows_[flow].weight * rate;
  }
  bool step() {
    recount();
    double least = MaxMin::kUnlimited;
    std::size_t full = left_.size();
    for (std::size_t link = 0; link < left_.size(); ++link) {
      if (rising_[link] == 0) continue;
      const double level = std::max(0.0, left_[link]) / rising_[link];
      if (level < least) {
        least = level;
        full = link;
      }
    }
    std::size_t capped = flows_.size();
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (rises(flow) && flows_[flow].cap < least) {
        least = flows_[flow].cap;
        capped = flow;
      }
    }
    if (capped < flows_.size()) {
      stop(capped, least);
      return true;
    }
    bool any = false;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      if (!rises(flow)) continue;
      const auto& hops = flows_[flow].hops;
      const auto on = [&](const Hop& hop) { return hop.link == full; };
      if (full < left_.size() && std::none_of(hops.begin(), hops.end(), on)) continue;
      stop(flow, least);
      any = true;
    }
    return any;
  }

  const std::vector<TestFlow>& flows_;
  std::vector<double> left_;
  std::vector<double> rising_;
  std::vector<double> rates_;
};

/// A network and a way to draw a flow's links.
struct Shape {
  std::vector<double> capacities;
  std::uint32_t hosts = 0;
  std::uint32_t spines = 0;
  std::uint32_t per_leaf = 1;
  enum class Kind { any_links, star, leaf_spine, ring } kind = Kind::any_links;
};

std::uint32_t draw(Random& random, std::uint32_t below) {
  return static_cast<std::uint32_t>(random() % below);
}
double draw_real(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// 0: all alike; 1: a few steps; 2: of any size; 3: from 1e6 to 1e12.
double draw_capacity(Random& random, std::uint32_t spread) {
  if (spread == 0) return 50e9;
  if (spread == 1) return 12.5e9 * (1 + draw(random, 4));
  if (spread == 2) return 1e9 * (0.1 + draw_real(random));
  return std::pow(10.0, 6 + 6 * draw_real(random));
}

Shape draw_shape(Random& random, Shape::Kind kind) {
  Shape shape;
  shape.kind = kind;
  shape.hosts = 3 + draw(random, 14);
  std::uint32_t links = 2 * shape.hosts;
  if (kind == Shape::Kind::any_links) links = 2 + draw(random, 30);
  if (kind == Shape::Kind::leaf_spine) {
    shape.per_leaf = 1 + draw(random, 4);
    shape.spines = 1 + draw(random, 4);
    const std::uint32_t leaves = (shape.hosts + shape.per_leaf - 1) / shape.per_leaf;
    links += 2 * leaves * shape.spines;
  }
  const std::uint32_t spread = draw(random, 4);
  for (std::uint32_t link = 0; link < links; ++link)
    shape.capacities.push_back(draw_capacity(random, spread));
  return shape;
}

std::vector<Hop> draw_path(Random& random, const Shape& shape) {
  const std::uint32_t links = static_cast<std::uint32_t>(shape.capacities.size());
  std::vector<Hop> hops;
  if (shape.kind == Shape::Kind::any_links) {
    const std::uint32_t count = draw(random, 6);
    for (std::uint32_t i = 0; i < count; ++i) hops.push_back({draw(random, links), 1});
    return hops;
  }
  const std::uint32_t from = draw(random, shape.hosts);
  const std::uint32_t to = (from + 1 + draw(random, shape.hosts - 1)) % shape.hosts;
  if (shape.kind == Shape::Kind::ring) {
    const std::uint32_t way = draw(random, 2) * shape.hosts;
    for (std::uint32_t at = from; at != to; at = (at + 1) % shape.hosts)
      hops.push_back({way + at, 1});
    return hops;
  }
  hops = {{from, 1}, {shape.hosts + to, 1}};
  if (shape.kind == Shape::Kind::leaf_spine && from / shape.per_leaf != to / shape.per_leaf) {
    const std::uint32_t spine = draw(random, shape.spines);
    const std::uint32_t up = from / shape.per_leaf * shape.spines + spine;
    const std::uint32_t down = to / shape.per_leaf * shape.spines + spine;
    hops.push_back({2 * shape.hosts + 2 * up, 1});
    hops.push_back({2 * shape.hosts + 2 * down + 1, 1});
  }
  return hops;
}

/// What besides paths is drawn.
struct Extras {
  bool shares = false;
  bool caps = false;
  bool weights = false;
  bool outages = false;
  std::uint32_t batch = 1;
};

/// One network under random changes; the worst error of any rate is kept.
class Trial {
 public:
  Trial(Random& random, Shape::Kind kind)
      : random_(random), shape_(draw_shape(random, kind)), solver_(shape_.capacities) {
    extras_.shares = draw(random, 4) == 0;
    extras_.caps = draw(random, 3) == 0;
    extras_.weights = draw(random, 3) == 0;
    extras_.outages = draw(random, 3) == 0;
    extras_.batch = draw(random, 2) == 0 ? 1 : 1 + draw(random, 12);
    max_flows_ = 2 + draw(random, 100);
    for (std::size_t flow = draw(random, 2) * max_flows_; flow > 0; --flow) add();
  }

  void go(std::uint32_t solves) {
    for (std::uint32_t i = 0; i < solves && !::testing::Test::HasFailure(); ++i) {
      for (std::uint32_t change = 0; change < extras_.batch; ++change) change_something();
      check(i % 16 == 15 ? solver_.solve_from_scratch() : solver_.solve());
      if (i % 16 == 7) check_copy();
    }
  }
  [[nodiscard]] double worst() const { return worst_; }

 private:
  void change_something() {
    const bool outage = extras_.outages && draw(random_, 8) == 0;
    if (outage)
      change_capacity();
    else if (extras_.weights && !present_.empty() && draw(random_, 6) == 0)
      reweigh();
    else if (present_.size() > 8 && draw(random_, 16) == 0)
      remove_many();
    else if (present_.empty() || (present_.size() < max_flows_ && draw(random_, 5) < 3))
      add();
    else
      remove();
  }
  void change_capacity() {
    const std::uint32_t link = draw(random_, static_cast<std::uint32_t>(shape_.capacities.size()));
    const std::uint32_t kind = draw(random_, 6);
    double& capacity = shape_.capacities[link];
    capacity = draw_capacity(random_, draw(random_, 4));
    if (kind < 2) capacity = 0;
    if (kind == 2) capacity = MaxMin::kUnlimited;
    solver_.set_capacity(link, capacity);
  }
  void add() {
    TestFlow flow;
    flow.hops = draw_path(random_, shape_);
    if (extras_.shares) {
      for (Hop& hop : flow.hops) hop.share = 0.1 + 0.9 * draw_real(random_);
    }
    if (extras_.caps && draw(random_, 2) == 0) flow.cap = draw_capacity(random_, draw(random_, 4));
    if (extras_.weights) flow.weight = 1 + draw(random_, 9);
    flow.present = true;
    flow.rate = -1;
    const std::uint32_t number = solver_.add(flow.hops, flow.cap, flow.weight);
    if (number >= flows_.size()) flows_.resize(number + 1);
    ASSERT_FALSE(flows_[number].present);
    flows_[number] = flow;
    present_.push_back(number);
  }
  void reweigh() {
    const std::uint32_t number =
        present_[draw(random_, static_cast<std::uint32_t>(present_.size()))];
    flows_[number].weight = 1 + draw(random_, 9);
    solver_.set_weight(number, flows_[number].weight);
  }
  void remove_many() {
    for (std::size_t left = draw(random_, 8); present_.size() > left;) remove();
  }
  void remove() {
    std::uint32_t& place = present_[draw(random_, static_cast<std::uint32_t>(present_.size()))];
    solver_.remove(place);
    flows_[place].present = false;
    place = present_.back();
    present_.pop_back();
  }

  void check(std::span<const std::uint32_t> changed) {
    std::vector<char> predicted(flows_.size(), 0);
    for (const std::uint32_t number : changed) {
      ASSERT_TRUE(flows_[number].present);
      ASSERT_FALSE(predicted[number]) << "reported twice";
      predicted[number] = 1;
      ASSERT_NE(solver_.rate(number), flows_[number].rate) << "reported, but not changed";
    }
    const Filling right(shape_.capacities, flows_);
    for (const std::uint32_t number : present_) {
      const double rate = solver_.rate(number);
      ASSERT_TRUE(predicted[number] || rate == flows_[number].rate) << "changed, but not reported";
      flows_[number].rate = rate;
      if (rate == right.rate(number)) continue;
      const double error = std::abs(rate / right.rate(number) - 1);
      ASSERT_LT(error, 1e-9) << rate << " instead of " << right.rate(number);
      worst_ = std::max(worst_, error);
    }
  }

  // A copy does what the original does, bit by bit.
  void check_copy() {
    MaxMin copy = solver_;
    const std::vector<Hop> hops = draw_path(random_, shape_);
    const std::uint32_t added = solver_.add(hops);
    ASSERT_EQ(copy.add(hops), added);
    for (const bool here : {true, false}) {
      if (!here) solver_.remove(added);
      if (!here) copy.remove(added);
      const std::span<const std::uint32_t> changed = solver_.solve();
      const std::span<const std::uint32_t> same = copy.solve();
      ASSERT_TRUE(std::equal(changed.begin(), changed.end(), same.begin(), same.end()));
      for (const std::uint32_t number : changed) ASSERT_EQ(solver_.rate(number), copy.rate(number));
    }
    for (const std::uint32_t number : present_) flows_[number].rate = solver_.rate(number);
  }

  Random& random_;
  Shape shape_;
  MaxMin solver_;
  Extras extras_;
  std::size_t max_flows_ = 0;
  std::vector<TestFlow> flows_;  ///< by the solver's number
  std::vector<std::uint32_t> present_;
  double worst_ = 0;
};

class MaxMinRandom : public ::testing::TestWithParam<Shape::Kind> {};

// 1000 networks with 64 solves each, of every kind.
TEST_P(MaxMinRandom, EqualsProgressiveFilling) {
  Random random(1 + static_cast<std::uint64_t>(GetParam()));
  double worst = 0;
  for (int network = 0; network < 1000 && !HasFailure(); ++network) {
    Trial trial(random, GetParam());
    trial.go(64);
    worst = std::max(worst, trial.worst());
  }
  RecordProperty("worst", ::testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MaxMinRandom,
                         ::testing::Values(Shape::Kind::any_links, Shape::Kind::star,
                                           Shape::Kind::leaf_spine, Shape::Kind::ring));

}  // namespace
}  // namespace orrery::model

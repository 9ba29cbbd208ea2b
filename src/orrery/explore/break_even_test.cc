// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/break_even.h"

#include <algorithm>
#include <cmath>

#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/exploration_testing.h"

namespace orrery::explore {
namespace {

ExploreOptions by(Evaluation evaluation) {
  ExploreOptions options;
  options.evaluation = evaluation;
  options.answers.threads = 2;
  return options;
}

/// Two kinds of devices at a price each, on a network of given speed.
std::string two_kinds(const std::string& price, const std::string& more) {
  return R"(version: 1
job:
  model: {name: small, layers: 8, hidden: 1024, heads: 16, vocab: 32000}
  batch: {global: 64, micro: 1, seq: 1024}
  parallel: {tp: "=tp", sharding: zero1}
cluster:
  device: {peak: "{kind.peak} TFLOP/s", memory_bandwidth: "{kind.memory} TB/s", memory_capacity: 20 GB}
  collectives: {library: ideal}
  network:
    - {block: switch, size: 8, bandwidth: "{nic} GB/s", latency: 1 us}
axes:
  - name: kind
    values: [{name: fast, peak: 400, memory: 4, price: )" +
         price + R"(}, {name: slow, peak: 100, memory: 1, price: 1}]
  - {name: tp, values: [1, 2, 4, 8]}
)" + more;
}

double cost_at(const SearchSpace& space, std::uint64_t number) {
  Evaluator evaluator(space);
  const auto asked = spec_at(space, space.at(number));
  const auto rates = rates_at(space, space.at(number));
  EXPECT_TRUE(asked && rates);
  return figures_of(evaluator.predict(*asked, Evaluation::simulate), *rates)[Figure::cost];
}

const Competitor* rival_in(const ExplorationResult& found, const std::string& axis) {
  const auto one = std::find_if(found.competitors.begin(), found.competitors.end(),
                                [&](const Competitor& rival) { return rival.axis == axis; });
  return one == found.competitors.end() ? nullptr : &*one;
}

const BreakEven* need_of(const Competitor& rival, BreakEvenKind what) {
  const auto one = std::find_if(rival.break_even.begin(), rival.break_even.end(),
                                [&](const BreakEven& need) { return need.what == what; });
  return one == rival.break_even.end() ? nullptr : &*one;
}

// With the price that it says, and nothing else changed, the two cost the same.
TEST(Rivals, NeedThePriceThatMakesThemAsCheap) {
  const std::string more =
      "  - {name: nic, values: [50]}\nobjectives: [cost]\nprices: {device: \"=kind.price\", "
      "energy: "
      "0.2}\npower: {device: 500}\n";
  const auto space = space_of(two_kinds("5", more));
  const auto found = explored(space, by(Evaluation::simulate));
  const Competitor* fast = rival_in(found, "kind");
  ASSERT_NE(fast, nullptr);
  EXPECT_EQ(fast->value, "fast");
  const BreakEven* price = need_of(*fast, BreakEvenKind::device_price);
  ASSERT_NE(price, nullptr);
  EXPECT_EQ(price->current, 5);
  EXPECT_FALSE(price->for_both);
  EXPECT_LT(price->required, 5);
  const std::uint64_t best = found.points[found.best.front()].number;
  const auto cheaper = space_of(two_kinds(fmt::format("{:.15g}", price->required), more));
  EXPECT_NEAR(cost_at(cheaper, fast->number) / cost_at(space, best), 1, 1e-9);
  EXPECT_NEAR(fast->relative_gap, cost_at(space, fast->number) / cost_at(space, best) - 1, 1e-12);
  // What both pay: a longer step costs more energy.
  const BreakEven* energy = need_of(*fast, BreakEvenKind::energy_price);
  ASSERT_NE(energy, nullptr);
  EXPECT_TRUE(energy->for_both);
  auto dearer = more;
  dearer.replace(dearer.find("0.2"), 3, fmt::format("{:.15g}", energy->required));
  const auto both = space_of(two_kinds("5", dearer));
  EXPECT_NEAR(cost_at(both, fast->number) / cost_at(both, best), 1, 1e-9);
}

// A part of the step that is shorter by so much makes the step as short.
TEST(Rivals, NeedPartsOfTheStepToBeShorter) {
  const auto space =
      space_of(two_kinds("5", "  - {name: nic, values: [50]}\nobjectives: [step]\n"));
  const auto found = explored(space, by(Evaluation::automatic));
  ASSERT_GE(found.competitors.size(), 2u);
  const double least = found.points[found.best.front()].figures[Figure::step];
  int predicted = 0;
  for (const Competitor& rival : found.competitors) {
    const auto point = std::find_if(found.points.begin(), found.points.end(),
                                    [&](const auto& one) { return one.number == rival.number; });
    ASSERT_TRUE(point->simulation) << rival.axis;
    const double step = point->figures[Figure::step];
    EXPECT_NEAR(rival.relative_gap, step / least - 1, 1e-12);
    for (const BreakEven& one : rival.break_even) {
      if (one.what == BreakEvenKind::axis) continue;
      EXPECT_GE(one.required, 0);
      EXPECT_NEAR(step * (1 - one.current + one.required), least, least * 1e-9);
      ++predicted;
    }
  }
  EXPECT_GT(predicted, 0);
}

// By brute force: with the value that it says it is better, and with none that is nearer.
TEST(Rivals, NeedTheNearestValueWithWhichTheyWin) {
  int predicted = 0;
  for (const char* how : {"values: [1, 2, 5, 10, 20, 50, 100, 200, 400, 800]",
                          "from: 1, to: 800, scale: log", "from: 1, to: 800, points: 60"}) {
    const auto space = space_of(two_kinds(
        "3", fmt::format(
                 "  - {{name: nic, {}}}\nobjectives: [cost]\nprices: {{device: \"=kind.price\"}}\n",
                 how)));
    const auto found = explored(space, by(Evaluation::estimate));
    const std::uint64_t best = found.points[found.best.front()].number;
    Evaluator evaluator(space);
    const auto score = [&](std::uint64_t number, std::uint32_t nic) {
      Coordinates at = space.at(number);
      at[2] = nic;
      const auto asked = spec_at(space, at);
      const auto rates = rates_at(space, at);
      return figures_of(evaluator.predict(*asked, Evaluation::estimate), *rates)[Figure::cost];
    };
    for (const Competitor& rival : found.competitors) {
      const std::uint32_t own = space.at(best)[2];
      for (const BreakEven& one : rival.break_even) {
        if (one.what != BreakEvenKind::axis) continue;
        ++predicted;
        EXPECT_EQ(one.axis, "nic");
        const auto& labels = space.axes[2].labels;
        const auto value = static_cast<std::uint32_t>(
            std::find(labels.begin(), labels.end(), one.value) - labels.begin());
        EXPECT_LT(score(rival.number, value), score(best, value)) << how << " " << one.value;
        const std::uint32_t nearer = value > own ? value - 1 : value + 1;
        if (nearer != own) {
          EXPECT_GE(score(rival.number, nearer), score(best, nearer)) << how << " " << one.value;
        }
      }
    }
  }
  EXPECT_GT(predicted, 2);
}

}  // namespace
}  // namespace orrery::explore

// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/break_even.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "orrery/explore/evaluation/evaluator.h"

namespace orrery::explore {

namespace {

constexpr std::size_t kMaxCompetitors = 8;

double score_of(const SearchSpace& space, const Point& point) {
  return scores_of(space, point.figures)[0];
}

/// What follows from how long a step takes, and nothing else that differs.
bool follows_from_step(Figure figure) {
  switch (figure) {
    case Figure::memory:
    case Figure::spare_memory:
    case Figure::devices:
    case Figure::power:
      return false;
    default:
      return true;
  }
}

/// Finds the conditions under which a competitor is as good as the best point.
class BreakEvenSearch {
 public:
  BreakEvenSearch(const SearchSpace& space, const PointSet& points, const EvaluatePoints& evaluate,
                  std::uint64_t best)
      : space_(space), points_(points), evaluate_(evaluate), best_(best) {}

  Result<void> find(Competitor& rival) {
    rival.break_even.clear();
    compute_break_even_shares(rival);
    if (auto done = compute_prices(rival); !done) return done;
    for (std::size_t a = 0; a < space_.axes.size(); ++a)
      if (is_circumstance(a))
        if (auto done = compute_axis(rival, a); !done) return done;
    return {};
  }

 private:
  [[nodiscard]] const Point& point(std::uint64_t number) const { return points_.all().at(number); }

  void compute_break_even_shares(Competitor& rival) const {
    const Figure objective = space_.objectives.front();
    const Point& other = point(rival.number);
    if (!follows_from_step(objective) || !other.simulation || !other.simulation->shares) return;
    // A step so many times as long is as good.
    const double own = point(best_).figures[objective], its = other.figures[objective];
    const double factor = metric_of(objective).more_is_better ? its / own : own / its;
    if (!(factor > 0 && factor < 1)) return;
    for (std::size_t i = 0; i < kStepParts.size(); ++i) {
      const double share = (*other.simulation->shares)[i];
      if (share > 1 - factor)
        rival.break_even.push_back(
            {BreakEvenKind::part, "", share, share - (1 - factor), {}, false, i});
    }
  }

  /// Costs are linear in prices: A x price + B.
  struct Line {
    double by = 0, at_zero = 0;
  };
  static Line line_of(const PointPrediction& predicted, Rates rates, double Rates::*price,
                      Figure figure) {
    rates.*price = 0;
    const double at_zero = figures_of(predicted, rates)[figure];
    rates.*price = 1;
    return {figures_of(predicted, rates)[figure] - at_zero, at_zero};
  }

  Result<void> compute_prices(Competitor& rival) const {
    const Figure objective = space_.objectives.front();
    if (objective != Figure::cost && objective != Figure::unit_cost) return {};
    const auto own = rates_at(space_, space_.at(best_));
    const auto its = rates_at(space_, space_.at(rival.number));
    if (!own || !its) return tl::unexpected((own ? its : own).error());
    for (const auto& [price, need] : {std::pair{&Rates::device, BreakEvenKind::device_price},
                                      {&Rates::energy, BreakEvenKind::energy_price}}) {
      const Line best = line_of(point(best_).predicted(), *own, price, objective);
      const Line other = line_of(point(rival.number).predicted(), *its, price, objective);
      // What differs can be had for another price alone; else both pay the new one.
      const bool alone = own.value().*price != its.value().*price;
      const double needs = alone ? (point(best_).figures[objective] - other.at_zero) / other.by
                                 : (other.at_zero - best.at_zero) / (best.by - other.by);
      if (!std::isfinite(needs) || needs <= 0) continue;
      rival.break_even.push_back({need, "", its.value().*price, needs, {}, !alone});
    }
    return {};
  }

  [[nodiscard]] bool is_circumstance(std::size_t axis) const {
    const std::string& name = space_.axes[axis].name;
    const auto has = [&](const Template& one) {
      return std::find(one.names().begin(), one.names().end(), name) != one.names().end();
    };
    return (has(space_.cluster) || has(space_.prices)) && !has(space_.job);
  }

  [[nodiscard]] std::uint64_t with_value(std::uint64_t number, std::size_t axis,
                                         std::uint32_t value) const {
    Coordinates at = space_.at(number);
    at[axis] = value;
    return space_.number(at);
  }

  /// Whether the rival is better with this value of both; evaluates it if unknown.
  Result<bool> wins(const Competitor& rival, std::size_t axis, std::uint32_t value) {
    const std::array both{with_value(best_, axis, value), with_value(rival.number, axis, value)};
    if (auto done = evaluate_({both.begin(), both.end()}); !done)
      return tl::unexpected(done.error());
    const auto best = points_.all().find(both[0]), other = points_.all().find(both[1]);
    if (other == points_.all().end() || !other->second.allowed) return false;
    if (best == points_.all().end() || !best->second.allowed) return false;
    return score_of(space_, other->second) < score_of(space_, best->second);
  }

  Result<void> compute_axis(Competitor& rival, std::size_t axis) {
    const std::uint32_t own = space_.at(best_)[axis];
    // The nearest first; on either side the first with which it wins.
    std::vector<std::uint32_t> values;
    const auto around = axis_neighbors(space_, best_);
    for (const std::uint64_t number : around[axis]) values.push_back(space_.at(number)[axis]);
    const auto off = [&](std::uint32_t value) { return value > own ? value - own : own - value; };
    std::stable_sort(values.begin(), values.end(), [&](auto a, auto b) { return off(a) < off(b); });
    std::array<bool, 2> found{};
    for (const std::uint32_t value : values) {
      if (value == own || found[value > own ? 1 : 0]) continue;
      const auto won = wins(rival, axis, value);
      if (!won) return tl::unexpected(won.error());
      if (!*won) continue;
      found[value > own ? 1 : 0] = true;
      const auto first = first_that_wins(rival, axis, own, value);
      if (!first) return tl::unexpected(first.error());
      rival.break_even.push_back({BreakEvenKind::axis, space_.axes[axis].name, 0, 0,
                                  space_.axes[axis].labels[*first], true});
      if (!space_.axes[axis].ordered) break;
    }
    return {};
  }

  /// Between values that are not evaluated: the nearest to `loses` with which it wins, if it is
  /// so from some value on.
  Result<std::uint32_t> first_that_wins(const Competitor& rival, std::size_t axis,
                                        std::uint32_t loses, std::uint32_t wins_at) {
    if (!space_.axes[axis].ordered) return wins_at;
    while ((loses > wins_at ? loses - wins_at : wins_at - loses) > 1) {
      const std::uint32_t middle = (loses + wins_at) / 2;
      const auto won = wins(rival, axis, middle);
      if (!won) return tl::unexpected(won.error());
      (*won ? wins_at : loses) = middle;
    }
    return wins_at;
  }

  const SearchSpace& space_;
  const PointSet& points_;
  const EvaluatePoints& evaluate_;
  std::uint64_t best_;
};

}  // namespace

std::vector<Competitor> competitors_of(const SearchSpace& space, const PointSet& points) {
  const auto best = points.best_in(0);
  if (!best) return {};
  const Coordinates own = space.at(*best);
  const double least = score_of(space, points.all().at(*best));
  std::vector<Competitor> competitors;
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.axes[a].coarse > 1) continue;
    const Point* first = nullptr;
    for (const auto& [number, point] : points.all())
      if (point.allowed && space.at(number)[a] != own[a])
        if (first == nullptr || score_of(space, point) < score_of(space, *first)) first = &point;
    if (first == nullptr) continue;
    const auto known = [&](const Competitor& one) { return one.number == first->number; };
    if (std::any_of(competitors.begin(), competitors.end(), known)) continue;
    const double behind = (score_of(space, *first) - least) / std::abs(least);
    if (!std::isfinite(behind)) continue;
    const std::string& value = space.axes[a].labels[space.at(first->number)[a]];
    competitors.push_back({first->number, space.axes[a].name, value, behind, {}});
  }
  std::stable_sort(
      competitors.begin(), competitors.end(),
      [](const Competitor& a, const Competitor& b) { return a.relative_gap < b.relative_gap; });
  if (competitors.size() > kMaxCompetitors) competitors.resize(kMaxCompetitors);
  return competitors;
}

Result<void> find_break_even(const SearchSpace& space, const PointSet& points,
                             const EvaluatePoints& evaluate, std::vector<Competitor>& competitors) {
  const auto best = points.best_in(0);
  if (!best) return {};
  BreakEvenSearch search(space, points, evaluate, *best);
  for (Competitor& rival : competitors)
    if (auto done = search.find(rival); !done) return done;
  return {};
}

}  // namespace orrery::explore

// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/point_set.h"

#include <algorithm>
#include <cmath>

#include "orrery/core/check.h"

namespace orrery::explore {

Result<void> PointSet::evaluate(const std::vector<std::uint64_t>& numbers, Evaluation evaluation,
                                const char* what) {
  std::vector<std::uint64_t> open;
  for (const std::uint64_t number : numbers) {
    const auto known = points_.find(number);
    const bool there = known != points_.end() && known->second.by(evaluation).has_value();
    if (!there) open.push_back(number);
  }
  auto predicted = store_.find_results(open, evaluation, what);
  if (!predicted) return tl::unexpected(predicted.error());
  for (std::size_t i = 0; i < open.size(); ++i) {
    Point& point = points_[open[i]];
    point.number = open[i];
    (evaluation == Evaluation::simulate  ? point.simulation
     : evaluation == Evaluation::columns ? point.columns
                                         : point.estimate) = std::move((*predicted)[i]);
    auto held = evaluate_point(space_, open[i], point.predicted());
    if (!held) return tl::unexpected(held.error());
    point.figures = held->figures;
    point.allowed = held->allowed;
    point.violated = std::move(held->violated);
  }
  return {};
}

PointFitness PointSet::fitness(std::uint64_t number) const {
  const auto found = points_.find(number);
  ORRERY_CHECK(found != points_.end());
  const Point& point = found->second;
  if (point.allowed) return {0, scores_of(space_, point.figures)};
  switch (point.predicted().state) {
    case State::fits:
      return {0.5};
    // Less memory is closer to fitting; 10^15 bytes exceed any device.
    case State::too_large:
      return {1 + static_cast<double>(point.predicted().memory.total.count()) * 1e-15};
    case State::illegal:
      return {2};
    default:
      return {3};
  }
}

std::vector<std::uint64_t> PointSet::best() {
  std::vector<Point*> allowed;
  std::vector<Scores> scores;
  for (auto& [number, point] : points_) {
    point.front = false;
    if (!point.allowed) continue;
    allowed.push_back(&point);
    scores.push_back(scores_of(space_, point.figures));
  }
  const auto front = front_of(scores);
  std::vector<std::size_t> order(allowed.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    allowed[i]->front = front[i];
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return front[a] != front[b] ? front[a] : scores[a] < scores[b];
  });
  std::vector<std::uint64_t> numbers;
  for (const std::size_t i : order) numbers.push_back(allowed[i]->number);
  return numbers;
}

std::optional<std::uint64_t> PointSet::best_in(std::size_t objective) const {
  std::optional<std::uint64_t> best;
  double least = 0;
  for (const auto& [number, point] : points_) {
    if (!point.allowed) continue;
    const double score = scores_of(space_, point.figures)[objective];
    if (best && score >= least) continue;
    best = number;
    least = score;
  }
  return best;
}

std::vector<Point> PointSet::release() && {
  std::vector<Point> points;
  for (auto& [number, point] : points_) points.push_back(std::move(point));
  return points;
}

std::vector<std::vector<std::uint64_t>> axis_neighbors(const SearchSpace& space,
                                                       std::uint64_t number) {
  constexpr std::size_t kMost = 24;  // per axis
  const Coordinates own = space.at(number);
  std::vector<std::vector<std::uint64_t>> around;
  for (std::size_t a = 0; a < own.size(); ++a) {
    const std::size_t values = space.axes[a].values.size();
    std::vector<std::uint64_t>& along = around.emplace_back();
    for (std::size_t v = 0; v < values; ++v) {
      if (space.axes[a].coarse > 1 && v != own[a] && v % space.axes[a].coarse != 0) continue;
      const std::size_t off = v > own[a] ? v - own[a] : own[a] - v;
      // Evenly over the axis, if it has many values.
      const bool some = space.axes[a].coarse > 1 || values <= kMost || v + 1 == values ||
                        v % (values / kMost + 1) == 0;
      if (off > 2 && !some) continue;
      Coordinates at = own;
      at[a] = static_cast<std::uint32_t>(v);
      along.push_back(space.number(at));
    }
  }
  return around;
}

std::vector<std::uint64_t> refined_neighbors(const SearchSpace& space, std::uint64_t number,
                                             std::uint32_t by) {
  const Coordinates own = space.at(number);
  std::vector<std::uint64_t> around;
  // Moves at most to the end of the axis; false: already there.
  const auto move = [&](Coordinates& at, std::size_t a, bool up) {
    const auto last = static_cast<std::uint32_t>(space.axes[a].values.size() - 1);
    const std::uint32_t before = at[a];
    at[a] = up ? std::min(last, before + by) : before - std::min(before, by);
    return at[a] != before;
  };
  for (std::size_t a = 0; a < own.size(); ++a) {
    for (const bool up : {false, true}) {
      Coordinates at = own;
      if (space.axes[a].coarse == 1 || !move(at, a, up)) continue;
      around.push_back(space.number(at));
      for (std::size_t b = 0; b < own.size(); ++b) {
        Coordinates both = at;
        if (b != a && space.axes[b].coarse > 1 && move(both, b, !up))
          around.push_back(space.number(both));
      }
    }
  }
  return around;
}

namespace {

/// Share of the variance between means by value (coarse values of continuous axes), over all
/// allowed points.
double explained(const SearchSpace& space, std::size_t axis,
                 const std::map<std::uint64_t, Point>& points) {
  const std::uint32_t coarse = space.axes[axis].coarse;
  std::vector<double> sums((space.axes[axis].values.size() - 1) / coarse + 1, 0);
  std::vector<double> counts(sums.size(), 0);
  double sum = 0, count = 0;
  const auto score = [&](const Point& point) { return scores_of(space, point.figures)[0]; };
  for (const auto& [number, point] : points) {
    if (!point.allowed || !std::isfinite(score(point))) continue;
    const std::uint32_t value = (space.at(number)[axis] + coarse / 2) / coarse;
    sums[value] += score(point);
    counts[value] += 1;
    sum += score(point);
    count += 1;
  }
  if (count == 0) return 0;
  const double mean = sum / count;
  double all = 0, between = 0;
  for (const auto& [number, point] : points)
    if (point.allowed && std::isfinite(score(point)))
      all += (score(point) - mean) * (score(point) - mean);
  for (std::size_t v = 0; v < sums.size(); ++v)
    if (counts[v] > 0)
      between += counts[v] * (sums[v] / counts[v] - mean) * (sums[v] / counts[v] - mean);
  return all > 0 ? between / all : 0;
}

}  // namespace

std::vector<AxisEffect> axis_effects(const SearchSpace& space,
                                     const std::map<std::uint64_t, Point>& points,
                                     std::uint64_t best) {
  std::vector<AxisEffect> effects;
  const double own = scores_of(space, points.at(best).figures)[0];
  const auto around = axis_neighbors(space, best);
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    if (space.axes[a].values.size() < 2) continue;
    AxisEffect effect{space.axes[a].name, explained(space, a, points), {}};
    for (const std::uint64_t number : around[a]) {
      const auto found = points.find(number);
      if (found == points.end()) continue;
      const Point& point = found->second;
      Alternative other{space.axes[a].labels[space.at(number)[a]],
                        point.predicted().state,
                        point.predicted().fit(),
                        number == best,
                        point.allowed,
                        0};
      if (point.allowed && own != 0)
        other.change = (scores_of(space, point.figures)[0] - own) / std::abs(own);
      effect.values.push_back(std::move(other));
    }
    effects.push_back(std::move(effect));
  }
  std::stable_sort(effects.begin(), effects.end(), [](const AxisEffect& a, const AxisEffect& b) {
    return a.explains > b.explains;
  });
  return effects;
}

}  // namespace orrery::explore

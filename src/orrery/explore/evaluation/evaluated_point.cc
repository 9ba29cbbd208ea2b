// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluation/evaluated_point.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "orrery/explore/evaluation/evaluator.h"

namespace orrery::explore {

namespace {

Result<EvaluatedPoint> held_against(const SearchSpace& space, const Coordinates& at,
                                    const PointPrediction& predicted) {
  EvaluatedPoint made;
  const auto rates = rates_at(space, at);
  if (!rates) return tl::unexpected(rates.error());
  made.figures = figures_of(predicted, *rates);
  std::vector<Json> values;
  for (const double value : made.figures.of) values.push_back(number_json(value));
  const auto axes = space.lookup(at);
  const Expression::Lookup lookup = [&](std::string_view name) -> const Json* {
    const auto figure = figure_named(name);
    return figure ? &values[static_cast<std::size_t>(*figure)] : axes(name);
  };
  for (const Constraint& constraint : space.constraints) {
    const auto holds = constraint.holds.holds(lookup);
    if (!holds) return tl::unexpected(holds.error());
    if (*holds) continue;
    made.violated = constraint.holds.text();
    return made;
  }
  made.allowed = true;
  return made;
}

}  // namespace

Result<EvaluatedPoint> evaluate_point(const SearchSpace& space, std::uint64_t number,
                                      const PointPrediction& predicted) {
  if (predicted.state != State::fits) return EvaluatedPoint{};
  const Coordinates at = space.at(number);
  auto made = held_against(space, at, predicted);
  if (!made) made.error().what += fmt::format(" (at {})", space.words(at));
  return made;
}

std::vector<double> scores_of(const SearchSpace& space, const Figures& figures) {
  std::vector<double> scores;
  for (const Figure objective : space.objectives) {
    const double value = figures[objective];
    const bool more = metric_of(objective).more_is_better;
    scores.push_back(std::isnan(value) ? std::numeric_limits<double>::infinity()
                                       : (more ? -value : value));
  }
  return scores;
}

void RunningBest::add(std::uint64_t number, const PointPrediction& predicted) {
  const auto one = evaluate_point(space_, number, predicted);
  if (!one || !one->allowed) return;
  const auto scores = scores_of(space_, one->figures);
  const bool first = scores_.empty();
  if (first) {
    scores_ = scores;
    values_.resize(scores.size());
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!first && scores[i] >= scores_[i]) continue;
    scores_[i] = scores[i];
    values_[i] = one->figures[space_.objectives[i]];
  }
}

std::string RunningBest::words() const {
  std::string text;
  for (std::size_t i = 0; i < values_.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", info(space_.objectives[i]).name,
                        format(space_.objectives[i], values_[i]));
  return text;
}

}  // namespace orrery::explore

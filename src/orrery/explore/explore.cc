// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/explore/evaluation/evaluated_point.h"
#include "orrery/explore/front/break_even.h"
#include "orrery/explore/front/point_set.h"
#include "orrery/explore/plans/halving.h"
#include "orrery/explore/space/sample.h"

namespace orrery::explore {

namespace {

/// Number of rounds over the neighbors of the best, as long as one of them is better.
constexpr int kRounds = 1000;
/// Minimum number of points for estimating all in columns first.
constexpr double kManyPoints = 4096;
/// Maximum number of rounds in which the front changes after simulations.
constexpr int kFronts = 8;

class Exploration {
 public:
  Exploration(const SearchSpace& space, const ExploreOptions& options, PointStore& answers)
      : space_(space),
        options_(options),
        store_(answers),
        first_(first_evaluation(space, options.evaluation)),
        points_(space, answers) {}

  Result<ExplorationResult> run() {
    if (auto done = sample(); !done) return tl::unexpected(done.error());
    if (options_.answers.part == 0)
      if (auto done = refine(); !done) return tl::unexpected(done.error());
    const auto order = points_.best();
    if (const auto best = points_.best_in(0))
      explored_.effects = axis_effects(space_, points_.all(), *best);
    explored_.points = std::move(points_).release();
    count(order);
    explored_.evaluated = store_.evaluated();
    explored_.out_of_date = store_.out_of_date();
    if (explored_.failed > 0 && explored_.failed == explored_.points.size())
      return tl::unexpected(*explored_.failure);
    return std::move(explored_);
  }

 private:
  Result<void> sample() {
    const Sample& how = space_.file.sample;
    if (how.how == SampleMethod::evolve) {
      if (options_.answers.part > 0) return tl::unexpected(parts_error());
      return evolve(
          space_, static_cast<std::uint64_t>(how.points),
          [&](const std::vector<std::uint64_t>& numbers) { return evaluate_point(numbers); });
    }
    auto drawn = sample_points(space_, how.how, static_cast<std::uint64_t>(how.points));
    if (!drawn) return tl::unexpected(drawn.error());
    explored_.refused = drawn->refused;
    for (std::size_t i = 0; i < drawn->refused_by.size(); ++i)
      if (drawn->refused_by[i] > 0)
        explored_.violated[space_.constraints[i].holds.text()] += drawn->refused_by[i];
    return evaluate(
        points_of_part(std::move(drawn->points), options_.answers.part, options_.answers.parts));
  }

  /// Estimates points; simulates those that estimates do not support.
  Result<void> evaluate(const std::vector<std::uint64_t>& numbers) {
    const char* what = first_ == Evaluation::simulate ? "simulate" : "estimate";
    if (auto done = points_.evaluate(numbers, first_, what); !done) return done;
    if (options_.evaluation != Evaluation::automatic) return {};
    std::vector<std::uint64_t> open;
    for (const std::uint64_t number : numbers)
      if (points_.all().at(number).predicted().state == State::needs_simulation)
        open.push_back(number);
    return open.empty() ? Result<void>{} : points_.evaluate(open, Evaluation::simulate, "simulate");
  }

  Result<std::vector<PointFitness>> evaluate_point(const std::vector<std::uint64_t>& numbers) {
    if (auto done = evaluate(numbers); !done) return tl::unexpected(done.error());
    std::vector<PointFitness> fitness;
    for (const std::uint64_t number : numbers) fitness.push_back(points_.fitness(number));
    return fitness;
  }

  /// Refines around the best point. Evaluating break-even conditions may find a better point; then
  /// it starts again.
  Result<void> refine() {
    std::optional<std::uint64_t> best;
    for (int round = 0; round < kFronts && (round == 0 || best != points_.best_in(0)); ++round) {
      if (auto done = evaluate_neighbors(); !done) return done;
      if (first_ == Evaluation::columns)
        if (auto done = estimate_in_detail(); !done) return done;
      if (options_.evaluation == Evaluation::automatic)
        if (auto done = simulate(); !done) return done;
      if (first_ == Evaluation::columns)
        if (auto done = estimate_around(); !done) return done;
      best = points_.best_in(0);
      explored_.competitors = competitors_of(space_, points_);
      const EvaluatePoints equivalent = [&](std::vector<std::uint64_t> numbers) {
        return evaluate_comparably(std::move(numbers));
      };
      if (auto done = find_break_even(space_, points_, equivalent, explored_.competitors); !done)
        return done;
    }
    return {};
  }

  /// Simulates all of these points if one of them is simulated, so that they are comparable.
  Result<void> evaluate_comparably(std::vector<std::uint64_t> numbers) {
    if (auto done = evaluate_admitted(numbers); !done) return done;
    std::vector<std::uint64_t> known;
    bool simulated = false;
    for (const std::uint64_t number : numbers) {
      const auto found = points_.all().find(number);
      if (found == points_.all().end()) continue;
      known.push_back(number);
      simulated = simulated || found->second.simulation;
    }
    if (simulated) return points_.evaluate(known, Evaluation::simulate, "simulate");
    return first_ == Evaluation::columns ? points_.evaluate(known, Evaluation::estimate, "estimate")
                                         : Result<void>{};
  }

  /// Evaluates neighbors of the best point of each objective until none is better; along
  /// continuous axes with decreasing steps (a pattern search: Hooke and Jeeves, J. ACM 8(2), 1961).
  Result<void> evaluate_neighbors() {
    for (std::size_t objective = 0; objective < space_.objectives.size(); ++objective) {
      std::uint32_t by = 0;
      for (const Axis& axis : space_.axes)
        if (axis.coarse > 1) by = axis.coarse / 2;
      std::optional<std::uint64_t> last;
      for (int round = 0; round < kRounds; ++round) {
        const auto best = points_.best_in(objective);
        if (!best || (best == last && by <= 1)) break;
        if (best == last) by /= 2;
        std::vector<std::uint64_t> numbers = refined_neighbors(space_, *best, by);
        if (best != last) add_neighbors(*best, !last, numbers);
        last = best;
        if (auto done = evaluate_admitted(std::move(numbers)); !done) return done;
      }
    }
    // Effects of axes use known points.
    std::vector<std::uint64_t> numbers;
    if (const auto best = points_.best_in(0)) add_neighbors(*best, true, numbers);
    return evaluate_admitted(std::move(numbers));
  }

  void add_neighbors(std::uint64_t number, bool continuous_too,
                     std::vector<std::uint64_t>& numbers) {
    const auto around = axis_neighbors(space_, number);
    for (std::size_t a = 0; a < around.size(); ++a)
      if (continuous_too || space_.axes[a].coarse == 1)
        numbers.insert(numbers.end(), around[a].begin(), around[a].end());
  }

  Result<void> evaluate_admitted(std::vector<std::uint64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<std::uint64_t> admitted;
    for (const std::uint64_t number : numbers) {
      const auto fine = admits(space_, space_.at(number));
      if (!fine) return tl::unexpected(fine.error());
      if (*fine) admitted.push_back(number);
    }
    return evaluate(admitted);
  }

  /// Estimates in detail the points that may be among the best in the first objective, and the
  /// front.
  Result<void> estimate_in_detail() {
    std::vector<std::uint64_t> numbers;
    std::vector<std::optional<double>> predicted;
    for (const auto& [number, point] : points_.all()) {
      if (!point.allowed || !point.columns) continue;
      numbers.push_back(number);
      predicted.push_back(positive_score(scores_of(space_, point.figures)[0]));
    }
    Halving halving(std::move(predicted), 2 * options_.simulated);
    const auto estimate = [&](const std::vector<std::uint64_t>& chosen) {
      return points_.evaluate(chosen, Evaluation::estimate, "estimate");
    };
    for (auto chosen = halving.next(); !chosen.empty(); chosen = halving.next()) {
      std::vector<std::uint64_t> some;
      for (const std::size_t one : chosen) some.push_back(numbers[one]);
      if (auto done = estimate(some); !done) return done;
      for (const std::size_t one : chosen) {
        const Point& point = points_.all().at(numbers[one]);
        if (point.allowed) halving.found(one, positive_score(scores_of(space_, point.figures)[0]));
      }
    }
    for (int round = 0; round < kFronts; ++round) {  // the current front
      std::vector<std::uint64_t> open;
      for (const std::uint64_t number : points_.best()) {
        const Point& point = points_.all().at(number);
        if (point.front && !point.estimate && !point.simulation) open.push_back(number);
      }
      if (open.empty()) break;
      if (auto done = estimate(open); !done) return done;
    }
    return {};
  }

  /// Estimates neighbors of the best point in detail, so that effects of axes use one method.
  Result<void> estimate_around() {
    std::vector<std::uint64_t> around;
    if (const auto best = points_.best_in(0))
      for (const auto& along : axis_neighbors(space_, *best))
        for (const std::uint64_t number : along)
          if (points_.all().contains(number)) around.push_back(number);
    return points_.evaluate(around, Evaluation::estimate, "estimate");
  }

  /// Converts a score to a value above 0 that grows with the step time; lower is better.
  static double positive_score(double score) { return score < 0 ? -1 / score : score; }

  /// Simulates the front, the best, and a quarter as many of the rest; then the current front.
  Result<void> simulate() {
    auto order = points_.best();
    const auto competitors = competitors_of(space_, points_);
    std::vector<std::uint64_t> rest;
    if (order.size() > options_.simulated) {
      rest.assign(order.begin() + static_cast<std::ptrdiff_t>(options_.simulated), order.end());
      order.resize(options_.simulated);
    }
    RandomSequence draw(static_cast<std::uint64_t>(space_.file.sample.seed) + 2);
    for (std::size_t i = 0; i < (options_.simulated + 3) / 4 && !rest.empty(); ++i) {
      const auto at = rest.begin() + static_cast<std::ptrdiff_t>(draw.below(rest.size()));
      order.push_back(*at);
      rest.erase(at);
    }
    for (const Competitor& rival : competitors)
      if (std::find(order.begin(), order.end(), rival.number) == order.end())
        order.push_back(rival.number);
    for (int round = 0; round < kFronts && !order.empty(); ++round) {
      if (auto done = points_.evaluate(order, Evaluation::simulate, "simulate"); !done) return done;
      order.clear();
      for (const std::uint64_t number : points_.best()) {
        const Point& point = points_.all().at(number);
        if (point.front && !point.simulation && order.size() < options_.simulated)
          order.push_back(number);
      }
    }
    return {};
  }

  void count(const std::vector<std::uint64_t>& order) {
    std::map<std::uint64_t, std::size_t> places;
    for (std::size_t i = 0; i < explored_.points.size(); ++i) {
      const Point& point = explored_.points[i];
      places[point.number] = i;
      const PointPrediction& predicted = point.predicted();
      if (point.simulation) ++explored_.simulations;
      if (predicted.state == State::fits) ++explored_.fitting;
      if (predicted.state == State::fits && predicted.fit() == MemoryFit::uncertain)
        ++explored_.fitting_uncertain;
      if (!point.violated.empty()) ++explored_.violated[point.violated];
      if (predicted.state == State::illegal) ++explored_.illegal[predicted.why];
      if (predicted.state == State::needs_simulation) ++explored_.needs_simulation;
      if (predicted.state == State::too_large) count_too_large(i);
      if (predicted.state == State::failed && ++explored_.failed == 1)
        explored_.failure = predicted.error;
      record_errors(point);
    }
    for (const std::uint64_t number : order) explored_.best.push_back(places.at(number));
  }

  void count_too_large(std::size_t place) {
    ++explored_.too_large;
    const auto memory = [&](std::size_t i) { return explored_.points[i].predicted().memory.total; };
    if (explored_.points[place].predicted().fit() == MemoryFit::uncertain)
      ++explored_.too_large_uncertain;
    if (!explored_.smallest || memory(place) < memory(*explored_.smallest))
      explored_.smallest = place;
  }

  void record_errors(const Point& point) {
    if (point.columns && point.columns->step > 0) {
      ++explored_.in_columns;
      if (point.estimate && point.estimate->step > 0) {
        ++explored_.detailed;
        const double by =
            static_cast<double>(point.columns->step) / static_cast<double>(point.estimate->step) -
            1;
        if (std::abs(by) > std::abs(explored_.columns_error)) explored_.columns_error = by;
      }
    }
    const auto off = point.estimate_error();
    if (off && std::abs(*off) > std::abs(explored_.max_estimate_error))
      explored_.max_estimate_error = *off;
  }

  const SearchSpace& space_;
  const ExploreOptions& options_;
  PointStore& store_;
  Evaluation first_;
  PointSet points_;
  ExplorationResult explored_;
};

}  // namespace

Evaluation first_evaluation(const SearchSpace& space, Evaluation evaluation) {
  if (evaluation != Evaluation::automatic) return evaluation;
  const Sample& sample = space.file.sample;
  double points = space.coarse_combinations();
  if (sample.how != SampleMethod::all)
    points = std::min(points, static_cast<double>(sample.points));
  return points >= kManyPoints ? Evaluation::columns : Evaluation::estimate;
}

namespace {

/// Only simulations have some figures: a search for one of them simulates all points.
Result<void> check_objectives(const SearchSpace& space, Evaluation evaluation) {
  if (evaluation == Evaluation::simulate) return {};
  const auto refused = [&](const std::string& what, Figure figure) {
    return fail(
        Errc::usage, space.where,
        fmt::format("{} uses {}, which only simulated points have", what, info(figure).name),
        "simulate all points: --method simulate");
  };
  for (const Figure one : space.objectives)
    if (info(one).only_simulated) return refused("an objective", one);
  for (const Constraint& constraint : space.constraints)
    for (const std::string& name : constraint.holds.names())
      if (const auto figure = figure_named(name); figure && info(*figure).only_simulated)
        return refused("constraint " + constraint.holds.text(), *figure);
  return {};
}

}  // namespace

Result<ExplorationResult> explore(const SearchSpace& space, const ExploreOptions& options) {
  if (auto fine = check_objectives(space, options.evaluation); !fine)
    return tl::unexpected(fine.error());
  auto answers = PointStore::open(space, options.answers);
  if (!answers) return tl::unexpected(answers.error());
  auto ahead = space_check(space);
  if (!ahead) return tl::unexpected(ahead.error());
  if (options.space_check) options.space_check(*ahead);
  auto explored = Exploration(space, options, **answers).run();
  if (!explored) return explored;
  explored->space_check = *std::move(ahead);
  if (auto closed = (*answers)->close(); !closed) return tl::unexpected(closed.error());
  return explored;
}

}  // namespace orrery::explore

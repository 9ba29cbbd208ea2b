// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/explore.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/explore/known_points.h"
#include "orrery/explore/rivals.h"
#include "orrery/search/plans/halving.h"

namespace orrery::explore {

using search::Gear;

namespace {

/// How often what is beside the best is looked at, where something there was better.
constexpr int kRounds = 1000;
/// From so many points on all are told in columns first.
constexpr double kManyPoints = 4096;
/// How often the front is simulated again after simulations changed it.
constexpr int kFronts = 8;

class Exploration {
 public:
  Exploration(const SearchSpace& space, const ExploreOptions& options, Answers& answers)
      : space_(space),
        options_(options),
        answers_(answers),
        first_(first_gear(space, options.gear)),
        points_(space, answers) {}

  Result<Explored> run() {
    if (auto done = sample(); !done) return tl::unexpected(done.error());
    if (options_.answers.part == 0)
      if (auto done = refine(); !done) return tl::unexpected(done.error());
    const auto order = points_.best();
    if (const auto best = points_.best_in(0))
      explored_.effects = effects_of(space_, points_.all(), *best);
    explored_.points = std::move(points_).release();
    count(order);
    explored_.found_out = answers_.found_out();
    explored_.out_of_date = answers_.out_of_date();
    if (explored_.failed > 0 && explored_.failed == explored_.points.size())
      return tl::unexpected(*explored_.failure);
    return std::move(explored_);
  }

 private:
  Result<void> sample() {
    const Sample& how = space_.file.sample;
    if (how.how == How::evolve) {
      if (options_.answers.part > 0) return tl::unexpected(no_parts());
      return evolve(space_, static_cast<std::uint64_t>(how.points),
                    [&](const std::vector<std::uint64_t>& numbers) { return judged(numbers); });
    }
    auto drawn = sampled(space_, how.how, static_cast<std::uint64_t>(how.points));
    if (!drawn) return tl::unexpected(drawn.error());
    explored_.refused = drawn->refused;
    for (std::size_t i = 0; i < drawn->refused_by.size(); ++i)
      if (drawn->refused_by[i] > 0)
        explored_.against[space_.constraints[i].holds.text()] += drawn->refused_by[i];
    return look_at(
        share_of(std::move(drawn->points), options_.answers.part, options_.answers.parts));
  }

  /// By estimates, and by simulations where these say nothing.
  Result<void> look_at(const std::vector<std::uint64_t>& numbers) {
    const char* what = first_ == Gear::simulate ? "simulate" : "estimate";
    if (auto done = points_.look_at(numbers, first_, what); !done) return done;
    if (options_.gear != Gear::automatic) return {};
    std::vector<std::uint64_t> open;
    for (const std::uint64_t number : numbers)
      if (points_.all().at(number).told().state == State::not_told) open.push_back(number);
    return open.empty() ? Result<void>{} : points_.look_at(open, Gear::simulate, "simulate");
  }

  Result<std::vector<Fitness>> judged(const std::vector<std::uint64_t>& numbers) {
    if (auto done = look_at(numbers); !done) return tl::unexpected(done.error());
    std::vector<Fitness> fitness;
    for (const std::uint64_t number : numbers) fitness.push_back(points_.fitness(number));
    return fitness;
  }

  /// What others need is looked at, too; it may turn out to be better than the best.
  Result<void> refine() {
    std::optional<std::uint64_t> best;
    for (int round = 0; round < kFronts && (round == 0 || best != points_.best_in(0)); ++round) {
      if (auto done = look_beside(); !done) return done;
      if (first_ == Gear::columns)
        if (auto done = play(); !done) return done;
      if (options_.gear == Gear::automatic)
        if (auto done = simulate(); !done) return done;
      if (first_ == Gear::columns)
        if (auto done = estimate_around(); !done) return done;
      best = points_.best_in(0);
      explored_.rivals = rivals_of(space_, points_);
      const LookAt alike = [&](std::vector<std::uint64_t> numbers) {
        return look_at_alike(std::move(numbers));
      };
      if (auto done = tell_needs(space_, points_, alike, explored_.rivals); !done) return done;
    }
    return {};
  }

  /// All by simulations, if one of them is.
  Result<void> look_at_alike(std::vector<std::uint64_t> numbers) {
    if (auto done = look_at_admitted(numbers); !done) return done;
    std::vector<std::uint64_t> known;
    bool simulated = false;
    for (const std::uint64_t number : numbers) {
      const auto found = points_.all().find(number);
      if (found == points_.all().end()) continue;
      known.push_back(number);
      simulated = simulated || found->second.simulation;
    }
    if (simulated) return points_.look_at(known, Gear::simulate, "simulate");
    return first_ == Gear::columns ? points_.look_at(known, Gear::estimate, "estimate")
                                   : Result<void>{};
  }

  /// Around the best of each objective, until none is better; along continuous axes closer and
  /// closer (a pattern search: Hooke and Jeeves, J. ACM 8(2), 1961).
  Result<void> look_beside() {
    for (std::size_t objective = 0; objective < space_.objectives.size(); ++objective) {
      std::uint32_t by = 0;
      for (const Axis& axis : space_.axes)
        if (axis.coarse > 1) by = axis.coarse / 2;
      std::optional<std::uint64_t> last;
      for (int round = 0; round < kRounds; ++round) {
        const auto best = points_.best_in(objective);
        if (!best || (best == last && by <= 1)) break;
        if (best == last) by /= 2;
        std::vector<std::uint64_t> numbers = closer(space_, *best, by);
        if (best != last) add_beside(*best, !last, numbers);
        last = best;
        if (auto done = look_at_admitted(std::move(numbers)); !done) return done;
      }
    }
    // What axes do is told from what is known.
    std::vector<std::uint64_t> numbers;
    if (const auto best = points_.best_in(0)) add_beside(*best, true, numbers);
    return look_at_admitted(std::move(numbers));
  }

  void add_beside(std::uint64_t number, bool continuous_too, std::vector<std::uint64_t>& numbers) {
    const auto around = beside(space_, number);
    for (std::size_t a = 0; a < around.size(); ++a)
      if (continuous_too || space_.axes[a].coarse == 1)
        numbers.insert(numbers.end(), around[a].begin(), around[a].end());
  }

  Result<void> look_at_admitted(std::vector<std::uint64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<std::uint64_t> admitted;
    for (const std::uint64_t number : numbers) {
      const auto fine = admits(space_, space_.at(number));
      if (!fine) return tl::unexpected(fine.error());
      if (*fine) admitted.push_back(number);
    }
    return look_at(admitted);
  }

  /// Those of all that may be among the best in the first objective, and the front.
  Result<void> play() {
    std::vector<std::uint64_t> numbers;
    std::vector<std::optional<double>> told;
    for (const auto& [number, point] : points_.all()) {
      if (!point.allowed || !point.columns) continue;
      numbers.push_back(number);
      told.push_back(growing(scores_of(space_, point.figures)[0]));
    }
    search::Halving halving(std::move(told), 2 * options_.simulated);
    const auto estimate = [&](const std::vector<std::uint64_t>& chosen) {
      return points_.look_at(chosen, Gear::estimate, "estimate");
    };
    for (auto chosen = halving.next(); !chosen.empty(); chosen = halving.next()) {
      std::vector<std::uint64_t> some;
      for (const std::size_t one : chosen) some.push_back(numbers[one]);
      if (auto done = estimate(some); !done) return done;
      for (const std::size_t one : chosen) {
        const Point& point = points_.all().at(numbers[one]);
        if (point.allowed) halving.found(one, growing(scores_of(space_, point.figures)[0]));
      }
    }
    for (int round = 0; round < kFronts; ++round) {  // whoever is on the front by now
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

  /// What axes do around the best is told by the same gear.
  Result<void> estimate_around() {
    std::vector<std::uint64_t> around;
    if (const auto best = points_.best_in(0))
      for (const auto& along : beside(space_, *best))
        for (const std::uint64_t number : along)
          if (points_.all().contains(number)) around.push_back(number);
    return points_.look_at(around, Gear::estimate, "estimate");
  }

  /// A score as something that grows with the step's time, above 0: less is better.
  static double growing(double score) { return score < 0 ? -1 / score : score; }

  /// The front and the best, and a quarter as many of the rest; then whoever is on the front by
  /// now.
  Result<void> simulate() {
    auto order = points_.best();
    const auto rivals = rivals_of(space_, points_);
    std::vector<std::uint64_t> rest;
    if (order.size() > options_.simulated) {
      rest.assign(order.begin() + static_cast<std::ptrdiff_t>(options_.simulated), order.end());
      order.resize(options_.simulated);
    }
    Draw draw(static_cast<std::uint64_t>(space_.file.sample.seed) + 2);
    for (std::size_t i = 0; i < (options_.simulated + 3) / 4 && !rest.empty(); ++i) {
      const auto at = rest.begin() + static_cast<std::ptrdiff_t>(draw.below(rest.size()));
      order.push_back(*at);
      rest.erase(at);
    }
    for (const Rival& rival : rivals)
      if (std::find(order.begin(), order.end(), rival.number) == order.end())
        order.push_back(rival.number);
    for (int round = 0; round < kFronts && !order.empty(); ++round) {
      if (auto done = points_.look_at(order, Gear::simulate, "simulate"); !done) return done;
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
      const Told& told = point.told();
      if (point.simulation) ++explored_.simulations;
      if (told.state == State::fits) ++explored_.fitting;
      if (!point.against.empty()) ++explored_.against[point.against];
      if (told.state == State::illegal) ++explored_.illegal[told.why];
      if (told.state == State::not_told) ++explored_.not_told;
      if (told.state == State::too_large) count_too_large(i);
      if (told.state == State::failed && ++explored_.failed == 1) explored_.failure = told.error;
      count_off(point);
    }
    for (const std::uint64_t number : order) explored_.best.push_back(places.at(number));
  }

  void count_too_large(std::size_t place) {
    ++explored_.too_large;
    const auto memory = [&](std::size_t i) { return explored_.points[i].told().memory; };
    if (!explored_.smallest || memory(place) < memory(*explored_.smallest))
      explored_.smallest = place;
  }

  void count_off(const Point& point) {
    if (point.columns && point.columns->step > 0) {
      ++explored_.in_columns;
      if (point.estimate && point.estimate->step > 0) {
        ++explored_.played;
        const double by =
            static_cast<double>(point.columns->step) / static_cast<double>(point.estimate->step) -
            1;
        if (std::abs(by) > std::abs(explored_.columns_off)) explored_.columns_off = by;
      }
    }
    const auto off = point.estimate_off();
    if (off && std::abs(*off) > std::abs(explored_.worst_off)) explored_.worst_off = *off;
  }

  const SearchSpace& space_;
  const ExploreOptions& options_;
  Answers& answers_;
  Gear first_;
  KnownPoints points_;
  Explored explored_;
};

}  // namespace

Gear first_gear(const SearchSpace& space, Gear gear) {
  if (gear != Gear::automatic) return gear;
  const Sample& sample = space.file.sample;
  double points = space.coarse_combinations();
  if (sample.how != How::all) points = std::min(points, static_cast<double>(sample.points));
  return points >= kManyPoints ? Gear::columns : Gear::estimate;
}

Result<Explored> explore(const SearchSpace& space, const ExploreOptions& options) {
  auto answers = Answers::open(space, options.answers);
  if (!answers) return tl::unexpected(answers.error());
  auto ahead = checked(space);
  if (!ahead) return tl::unexpected(ahead.error());
  if (options.checked) options.checked(*ahead);
  auto explored = Exploration(space, options, **answers).run();
  if (!explored) return explored;
  explored->checked = *std::move(ahead);
  if (auto closed = (*answers)->close(); !closed) return tl::unexpected(closed.error());
  return explored;
}

}  // namespace orrery::explore

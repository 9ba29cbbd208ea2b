// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/explore.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/explore/known_points.h"

namespace orrery::explore {

using search::Gear;

namespace {

/// How often the neighbours of the best are looked at, where one of them was better.
constexpr int kRounds = 100;
/// How often the front is simulated again after simulations changed it.
constexpr int kFronts = 8;

class Exploration {
 public:
  Exploration(const SearchSpace& space, const ExploreOptions& options, Answers& answers)
      : space_(space),
        options_(options),
        answers_(answers),
        first_(options.gear == Gear::simulate ? Gear::simulate : Gear::estimate),
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

  Result<void> refine() {
    if (auto done = look_beside(); !done) return done;
    return options_.gear == Gear::automatic ? simulate() : Result<void>{};
  }

  /// Around the best of each objective, until none is better.
  Result<void> look_beside() {
    for (std::size_t objective = 0; objective < space_.objectives.size(); ++objective) {
      std::optional<std::uint64_t> last;
      for (int round = 0; round < kRounds; ++round) {
        const auto best = points_.best_in(objective);
        if (!best || best == last) break;
        last = best;
        std::vector<std::uint64_t> numbers;
        for (const auto& along : beside(space_, *best))
          for (const std::uint64_t number : along) {
            const auto fine = admits(space_, space_.at(number));
            if (!fine) return tl::unexpected(fine.error());
            if (*fine) numbers.push_back(number);
          }
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        if (auto done = look_at(numbers); !done) return done;
      }
    }
    return {};
  }

  /// The front and the best, and a quarter as many of the rest; then whoever is on the front by
  /// now.
  Result<void> simulate() {
    auto order = points_.best();
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
    if (!point.estimate || !point.simulation || point.estimate->step == 0 ||
        point.simulation->step == 0)
      return;
    const double off =
        static_cast<double>(point.estimate->step) / static_cast<double>(point.simulation->step) - 1;
    if (std::abs(off) > std::abs(explored_.worst_off)) explored_.worst_off = off;
  }

  const SearchSpace& space_;
  const ExploreOptions& options_;
  Answers& answers_;
  Gear first_;
  KnownPoints points_;
  Explored explored_;
};

}  // namespace

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

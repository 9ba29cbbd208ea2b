// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/front/evolve.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "orrery/explore/space/sample.h"

namespace orrery::explore {

namespace {

constexpr std::uint64_t kMinPoints = 8, kMaxPoints = 200;  ///< points of a generation
constexpr int kPatience = 30;                              ///< generations without a new point
constexpr double kRefused = 4;  ///< violation of points that early constraints refuse

class Evolution {
 public:
  Evolution(const SearchSpace& space, std::uint64_t points, const FitnessFunction& fitness_of)
      : space_(space),
        budget_(points),
        size_(std::clamp(points / 20, kMinPoints, kMaxPoints)),
        fitness_of_(fitness_of),
        draw_(static_cast<std::uint64_t>(space.file.sample.seed) + 1) {}

  Result<void> run() {
    auto first = sample_points(space_, SampleMethod::latin, std::min(size_, budget_));
    if (!first) return tl::unexpected(first.error());
    if (first->points.empty()) return {};
    generation_ = std::move(first->points);
    if (auto known = know(generation_); !known) return known;
    rank();
    for (int idle = 0; idle < kPatience && known_ < budget_;) {
      const std::uint64_t before = known_;
      std::vector<std::uint64_t> children;
      for (std::uint64_t i = 0; i < size_; ++i) children.push_back(child());
      std::sort(children.begin(), children.end());
      children.erase(std::unique(children.begin(), children.end()), children.end());
      if (auto known = know(children); !known) return known;
      merge(children);
      idle = known_ == before ? idle + 1 : 0;
    }
    return {};
  }

 private:
  /// Evaluates points that are not yet known, within the budget.
  Result<void> know(const std::vector<std::uint64_t>& numbers) {
    std::vector<std::uint64_t> asked;
    for (const std::uint64_t number : numbers) {
      if (fitness_.contains(number)) continue;
      const auto fine = admits(space_, space_.at(number));
      if (!fine) return tl::unexpected(fine.error());
      if (!*fine) {
        fitness_[number].violation = kRefused;
      } else if (known_ < budget_) {
        asked.push_back(number);
        ++known_;
      }
    }
    auto predicted = fitness_of_(asked);
    if (!predicted) return tl::unexpected(predicted.error());
    for (std::size_t i = 0; i < asked.size(); ++i) fitness_[asked[i]] = std::move((*predicted)[i]);
    return {};
  }

  /// The next generation: the best of parents and children, each once.
  void merge(const std::vector<std::uint64_t>& children) {
    for (const std::uint64_t child : children)
      if (fitness_.contains(child)) generation_.push_back(child);
    std::sort(generation_.begin(), generation_.end());
    generation_.erase(std::unique(generation_.begin(), generation_.end()), generation_.end());
    rank();
    if (generation_.size() > size_) {
      generation_.resize(size_);
      rank();
    }
  }

  /// Sorts the generation: less violation, then lower layers, then less crowded.
  void rank() {
    std::vector<Scores> scores;
    std::vector<std::uint64_t> allowed, rest;
    for (const std::uint64_t number : generation_) {
      const PointFitness& fitness = fitness_[number];
      (fitness.violation == 0 ? allowed : rest).push_back(number);
      if (fitness.violation == 0) scores.push_back(fitness.scores);
    }
    const auto layers = layers_of(scores);
    const auto crowding = crowding_of(scores, layers);
    std::vector<std::size_t> order(allowed.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(layers[a], -crowding[a]) < std::pair(layers[b], -crowding[b]);
    });
    generation_.clear();
    for (const std::size_t i : order) generation_.push_back(allowed[i]);
    std::stable_sort(rest.begin(), rest.end(), [&](std::uint64_t a, std::uint64_t b) {
      return fitness_[a].violation < fitness_[b].violation;
    });
    generation_.insert(generation_.end(), rest.begin(), rest.end());
  }

  /// The better of two random points; the generation is sorted.
  Coordinates parent() {
    const std::uint64_t a = draw_.below(generation_.size()), b = draw_.below(generation_.size());
    return space_.at(generation_[std::min(a, b)]);
  }

  std::uint64_t child() {
    const Coordinates one = parent(), other = parent();
    Coordinates made = one;
    for (std::size_t a = 0; a < made.size(); ++a) {
      if (draw_.below(2) == 1) made[a] = other[a];
      if (draw_.below(made.size()) == 0) made[a] = changed(space_.axes[a], made[a]);
    }
    return space_.number(made);
  }

  std::uint32_t changed(const Axis& axis, std::uint32_t value) {
    const auto values = static_cast<std::uint32_t>(axis.values.size());
    if (values == 1) return value;
    if (!axis.ordered) {
      const auto other = static_cast<std::uint32_t>(draw_.below(values - 1));
      return other + (other >= value ? 1 : 0);
    }
    // Changes by 1 with probability 1/2, by 2 with 1/4, …; on continuous axes each halving of the
    // step has probability 1/2.
    std::uint32_t by = axis.coarse;
    if (axis.coarse > 1)
      while (by > 1 && draw_.below(2) == 1) by /= 2;
    else
      while (by < values - 1 && draw_.below(2) == 1) ++by;
    const bool up = value < by || (value + by < values && draw_.below(2) == 1);
    return up ? std::min(value + by, values - 1) : value - by;
  }

  const SearchSpace& space_;
  std::uint64_t budget_, size_, known_ = 0;
  const FitnessFunction& fitness_of_;
  RandomSequence draw_;
  std::vector<std::uint64_t> generation_;
  std::map<std::uint64_t, PointFitness> fitness_;
};

}  // namespace

Result<void> evolve(const SearchSpace& space, std::uint64_t points,
                    const FitnessFunction& fitness_of) {
  return Evolution(space, points, fitness_of).run();
}

}  // namespace orrery::explore

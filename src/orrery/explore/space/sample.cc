// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "orrery/core/random.h"

namespace orrery::explore {

namespace {

/// Maximum number of consecutive draws without a new point.
constexpr int kIdleDraws = 100'000;
/// Maximum number of combinations per wanted point up to which all combinations are shuffled.
constexpr double kFew = 8;

/// The first early constraint that does not hold; empty: all hold.
Result<std::optional<std::size_t>> refusing(const SearchSpace& space, const Coordinates& at) {
  const auto lookup = space.lookup(at);
  for (std::size_t i = 0; i < space.constraints.size(); ++i) {
    if (!space.constraints[i].axes_only) continue;
    const auto holds = space.constraints[i].holds.holds(lookup);
    if (!holds) return tl::unexpected(holds.error());
    if (!*holds) return std::optional(i);
  }
  return std::optional<std::size_t>{};
}

class Sampler {
 public:
  Sampler(const SearchSpace& space, std::uint64_t count) : space_(space), count_(count) {
    sampled_.refused_by.resize(space.constraints.size());
  }

  Result<PointSample> all() {
    const double combinations = space_.coarse_combinations();
    if (combinations > static_cast<double>(limits::kPoints))
      return fail(Errc::limit_exceeded, space_.where + ":/axes",
                  fmt::format("there are {:.0f} combinations; the limit is {}", combinations,
                              limits::kPoints),
                  "evaluate a sample of them: sample: {how: evolve, points: 10000}");
    const auto all = static_cast<std::uint64_t>(combinations);
    for (std::uint64_t i = 0; i < all; ++i) {
      const std::uint64_t number = space_.coarse_number(i);
      const auto admitted = admit(number);
      if (!admitted) return tl::unexpected(admitted.error());
      if (*admitted) sampled_.points.push_back(number);
    }
    return std::move(sampled_);
  }

  Result<PointSample> random() {
    if (few()) return all();
    if (auto added = fill(); !added) return tl::unexpected(added.error());
    return std::move(sampled_);
  }

  Result<PointSample> latin() {
    if (few()) return all();
    std::vector<Coordinates> drawn(count_, Coordinates(space_.axes.size()));
    for (std::size_t a = 0; a < space_.axes.size(); ++a) {
      std::vector<std::uint64_t> strata(count_);
      std::iota(strata.begin(), strata.end(), std::uint64_t{0});
      for (std::uint64_t i = count_; i > 1; --i) std::swap(strata[i - 1], strata[draw_.below(i)]);
      const std::uint64_t values = space_.axes[a].values.size();
      for (std::uint64_t i = 0; i < count_; ++i)
        drawn[i][a] = static_cast<std::uint32_t>(strata[i] * values / count_);
    }
    for (const Coordinates& at : drawn)
      if (auto tried = attempt(space_.number(at)); !tried) return tl::unexpected(tried.error());
    if (auto added = fill(); !added) return tl::unexpected(added.error());
    return std::move(sampled_);
  }

 private:
  /// Whether the space has no more combinations than wanted, and no continuous axis.
  [[nodiscard]] bool few() const {
    const double combinations = space_.combinations();
    return combinations <= static_cast<double>(count_) &&
           combinations == space_.coarse_combinations();
  }

  Result<bool> admit(std::uint64_t number) {
    const auto refused = refusing(space_, space_.at(number));
    if (!refused) return tl::unexpected(refused.error());
    if (!*refused) return true;
    ++sampled_.refused;
    ++sampled_.refused_by[**refused];
    return false;
  }

  Result<void> attempt(std::uint64_t number) {
    if (!seen_.insert(number).second) return {};
    const auto admitted = admit(number);
    if (!admitted) return tl::unexpected(admitted.error());
    if (*admitted) sampled_.points.push_back(number);
    return {};
  }

  /// Adds random points until there are enough, or no new one is found for long.
  Result<void> fill() {
    const double combinations = space_.combinations();
    if (combinations <= kFew * static_cast<double>(count_) &&
        combinations <= static_cast<double>(limits::kPoints))
      return fill_from_all();
    for (int idle = 0; idle < kIdleDraws && sampled_.points.size() < count_; ++idle) {
      const std::size_t before = sampled_.points.size();
      if (auto tried = attempt(draw_.below(static_cast<std::uint64_t>(combinations))); !tried)
        return tried;
      if (sampled_.points.size() > before) idle = 0;
    }
    return {};
  }

  Result<void> fill_from_all() {
    std::vector<std::uint64_t> order(static_cast<std::size_t>(space_.combinations()));
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::size_t i = order.size(); i > 0 && sampled_.points.size() < count_; --i) {
      std::swap(order[i - 1], order[draw_.below(i)]);
      if (auto tried = attempt(order[i - 1]); !tried) return tried;
    }
    return {};
  }

  const SearchSpace& space_;
  std::uint64_t count_;
  RandomSequence draw_{static_cast<std::uint64_t>(space_.file.sample.seed)};
  PointSample sampled_;
  std::set<std::uint64_t> seen_;
};

}  // namespace

std::uint64_t RandomSequence::bits() { return mix_bits(mix_bits(seed_) ^ drawn_++); }

std::uint64_t RandomSequence::below(std::uint64_t below) {
  // Redraws from the remainder of 2^64 / below, so that all results are equally likely.
  const std::uint64_t rest = (0 - below) % below;
  std::uint64_t drawn = bits();
  while (drawn < rest) drawn = bits();
  return drawn % below;
}

Result<bool> admits(const SearchSpace& space, const Coordinates& at) {
  const auto refused = refusing(space, at);
  if (!refused) return tl::unexpected(refused.error());
  return !refused->has_value();
}

std::vector<std::uint64_t> points_of_part(std::vector<std::uint64_t> points, std::uint32_t part,
                                          std::uint32_t parts) {
  if (part == 0) return points;
  std::vector<std::uint64_t> own;
  for (std::size_t i = part - 1; i < points.size(); i += parts) own.push_back(points[i]);
  return own;
}

Error parts_error() {
  return {Errc::usage, "--part", "cannot split `evolve`, whose points depend on each other",
          "use the sample `all`, `random` or `latin`, or --executor mpi"};
}

Result<PointSample> sample_points(const SearchSpace& space, SampleMethod how,
                                  std::uint64_t points) {
  Sampler sampler(space, points);
  auto made = how == SampleMethod::all     ? sampler.all()
              : how == SampleMethod::latin ? sampler.latin()
                                           : sampler.random();
  if (made) std::sort(made->points.begin(), made->points.end());
  return made;
}

}  // namespace orrery::explore

// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/variability/rank_factor.h"

#include <algorithm>
#include <cmath>

#include "orrery/core/random.h"
#include "orrery/core/statistics/distributions.h"
#include "orrery/core/statistics/exact_math.h"

namespace orrery::model {

using platform::DistributionKind;
using platform::FactorDistribution;
using platform::Variability;

namespace {

constexpr int kEqualParts = 64;
constexpr int kBisections = 50;
constexpr std::size_t kStalledParts = 256;  // total number; at least 4 per part

enum class Purpose : std::uint64_t { speed = 1, slow, jitter, stall, stall_length, network };

std::uint64_t bits_for(std::uint64_t seed, Purpose purpose, std::uint64_t when, std::uint64_t who) {
  return mix_bits(mix_bits(mix_bits(mix_bits(seed) + static_cast<std::uint64_t>(purpose)) + when) +
                  who);
}

bool varies(const FactorDistribution& spread) {
  return spread.distribution == DistributionKind::uniform ||
         (spread.distribution == DistributionKind::lognormal && spread.sigma > 0);
}

double middle_of(int part, int of) { return (part + 0.5) / of; }

}  // namespace

double quantile(const FactorDistribution& spread, double p) {
  if (!varies(spread)) return 1;
  if (spread.distribution == DistributionKind::uniform)
    return spread.lower + p * (spread.upper - spread.lower);
  return exact_exp(spread.sigma * normal_quantile(p));
}

double sample(const FactorDistribution& spread, std::uint64_t bits) {
  return quantile(spread, uniform_double(bits));
}

RankSample sample_rank(const Variability& variability, std::uint64_t seed, std::uint64_t fleet,
                       std::uint64_t step, std::uint64_t rank) {
  RankSample made;
  if (varies(variability.speed))
    made.speed = sample(variability.speed, bits_for(seed, Purpose::speed, fleet, rank));
  if (variability.slow.share > 0 &&
      uniform_double(bits_for(seed, Purpose::slow, fleet, rank)) < variability.slow.share)
    made.speed *= variability.slow.factor;
  if (varies(variability.jitter))
    made.jitter = sample(variability.jitter, bits_for(seed, Purpose::jitter, step, rank));
  if (variability.stalls.rate > 0 &&
      uniform_double(bits_for(seed, Purpose::stall, step, rank)) < variability.stalls.rate)
    made.stall = -exact_log(uniform_double(bits_for(seed, Purpose::stall_length, step, rank))) *
                 static_cast<double>(variability.stalls.mean.count()) * 1e-12;
  return made;
}

double sample_network(const Variability& variability, std::uint64_t seed, std::uint64_t step) {
  return sample(variability.network, bits_for(seed, Purpose::network, step, 0));
}

double RankFactor::Part::above(double x) const {
  if (sigma > 0) return x > 0 ? normal_upper_tail(exact_log(x / median) / sigma) : 1;
  if (x < from) return 1;
  return x >= to ? 0 : (to - x) / (to - from);
}

double RankFactor::Part::quantile(double p) const {
  return sigma > 0 ? median * exact_exp(sigma * normal_quantile(p)) : from + p * (to - from);
}

RankFactor::RankFactor(const Variability& variability, double seconds) {
  parts_ = {Part{}};
  // The variances of log-normal factors add; all other combinations are mixtures of parts.
  double variance = 0;
  for (const FactorDistribution* spread : {&variability.speed, &variability.jitter})
    if (spread->distribution == DistributionKind::lognormal)
      variance += spread->sigma * spread->sigma;
  if (variance > 0) parts_.front().sigma = std::sqrt(variance);
  for (const FactorDistribution* spread : {&variability.speed, &variability.jitter}) {
    if (spread->distribution != DistributionKind::uniform) continue;
    std::vector<Part> spread_out;
    for (const Part& part : parts_) {
      const bool first = part.sigma == 0 && part.from == part.to;
      for (int i = 0; i < (first ? 1 : kEqualParts); ++i) {
        const double by =
            spread->lower + middle_of(i, kEqualParts) * (spread->upper - spread->lower);
        Part& made = spread_out.emplace_back(part);
        if (first) {
          made.from = spread->lower;
          made.to = spread->upper;
          continue;
        }
        made.weight /= kEqualParts;
        made.median *= by;
        made.from *= by;
        made.to *= by;
      }
    }
    parts_ = std::move(spread_out);
  }
  if (const auto& slow = variability.slow; slow.share > 0) {
    const std::size_t count = parts_.size();
    for (std::size_t i = 0; i < count; ++i) {
      Part late = parts_[i];
      late.weight *= slow.share;
      late.median *= slow.factor;
      late.from *= slow.factor;
      late.to *= slow.factor;
      parts_[i].weight *= 1 - slow.share;
      parts_.push_back(late);
    }
  }
  const double mean = static_cast<double>(variability.stalls.mean.count()) * 1e-12;
  if (variability.stalls.rate <= 0 || mean <= 0 || seconds <= 0) return;
  stall_rate_ = variability.stalls.rate;
  stall_mean_ = mean / seconds;
  const int pieces = static_cast<int>(std::max<std::size_t>(4, kStalledParts / parts_.size()));
  for (const Part& part : parts_)
    for (int i = 0; i < pieces; ++i)
      stalled_.emplace_back(part.weight / pieces, part.quantile(middle_of(i, pieces)));
}

double RankFactor::above_excluding_stalls(double x) const {
  double sum = 0;
  for (const Part& part : parts_) sum += part.weight * part.above(x);
  return sum;
}

double RankFactor::above(double x) const {
  double sum = above_excluding_stalls(x);
  for (const auto& [weight, factor] : stalled_)
    if (factor < x) sum += stall_rate_ * weight * exact_exp((factor - x) / stall_mean_);
  return std::min(sum, 1.0);
}

double RankFactor::exceeded_by(double q) const {
  double low = 0, high = 1;
  while (above(high) > q && high < 1e12) high *= 2;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) > q ? low : high) = middle;
  }
  return high;
}

MaximumOf::MaximumOf(const RankFactor& one, double count) : one_(one), count_(count) {}

namespace {

constexpr double kSmall = 1e-4;  // below it, three terms of the series suffice

/// ln(1 - x) for 0 <= x < 1.
double log_without(double x) {
  return x < kSmall ? -x * (1 + x * (0.5 + x / 3)) : exact_log(1 - x);
}

/// 1 - e^-x for x >= 0.
double all_but_exp(double x) {
  return x < kSmall ? x * (1 - x * (0.5 - x / 6)) : 1 - exact_exp(-x);
}

}  // namespace

double MaximumOf::above(double x) const {
  const double one = one_.above(x);
  return one >= 1 ? 1 : all_but_exp(-count_ * log_without(one));
}

double MaximumOf::exceeded_by(double q) const {
  return one_.exceeded_by(all_but_exp(-log_without(q) / count_));
}

double MaximumOf::mean() const {
  constexpr int kLevels = 40, kPieces = 8;  // from 2^-40 to 1 - 2^-40
  std::vector<double> knots;
  for (int k = kLevels; k >= 1; --k) knots.push_back(exceeded_by(1 - exact_exp2(-k)));
  for (int k = 2; k <= kLevels; ++k) knots.push_back(exceeded_by(exact_exp2(-k)));
  double sum = knots.front();  // the probability to be above is 1 up to here
  for (std::size_t i = 1; i < knots.size(); ++i) {
    const double step = (knots[i] - knots[i - 1]) / kPieces;
    if (step <= 0) continue;
    for (int j = 0; j < kPieces; ++j) {
      const double from = knots[i - 1] + j * step;
      sum += step / 6 * (above(from) + 4 * above(from + step / 2) + above(from + step));
    }
  }
  return sum;
}

namespace {
constexpr double kTableEnd = 40, kTableStep = 0.25;
}

MaximumTable::MaximumTable(const MaximumOf& maximum) {
  for (double odds = -kTableEnd; odds <= kTableEnd; odds += kTableStep)
    values_.push_back(maximum.exceeded_by(1 / (1 + exact_exp2(odds))));
}

double MaximumTable::quantile(double p) const {
  const double odds = std::clamp(exact_log2(p / (1 - p)), -kTableEnd, kTableEnd);
  const double place = (odds + kTableEnd) / kTableStep;
  const std::size_t at = std::min(static_cast<std::size_t>(place), values_.size() - 2);
  return values_[at] + (place - static_cast<double>(at)) * (values_[at + 1] - values_[at]);
}

}  // namespace orrery::model

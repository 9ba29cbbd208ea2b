// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/halving.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::explore {

namespace {

constexpr std::size_t kTimesKept = 2;    // expensive evaluations per wanted candidate …
constexpr std::size_t kOneIn = 16;       // … and at least one in this many of all candidates
constexpr std::size_t kSampleOneIn = 4;  // sample of the rest: one per this many of the best

}  // namespace

Halving::Halving(std::vector<std::optional<double>> estimates, std::size_t keep)
    : estimates_(std::move(estimates)),
      keep_(std::max<std::size_t>(keep, 1)),
      evaluated_(estimates_.size()) {}

std::vector<std::size_t> Halving::first() const {
  std::vector<std::size_t> chosen, order;
  for (std::size_t i = 0; i < estimates_.size(); ++i) (estimates_[i] ? order : chosen).push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *estimates_[a] < *estimates_[b]; });
  const std::size_t best =
      std::min(order.size(), std::max(kTimesKept * keep_, estimates_.size() / kOneIn));
  chosen.insert(chosen.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best));
  const std::size_t rest = order.size() - best;
  const std::size_t sample = std::min(rest, (best + kSampleOneIn - 1) / kSampleOneIn);
  for (std::size_t i = 0; i < sample; ++i)  // evenly over the ranking
    chosen.push_back(order[best + (2 * i + 1) * rest / (2 * sample)]);
  return chosen;
}

std::vector<std::size_t> Halving::next() {
  std::vector<std::size_t> chosen;
  if (!begun_) {
    chosen = first();
  } else {
    std::vector<double> best = values_;
    const std::size_t wanted = std::min(keep_, best.size());
    if (wanted > 0)
      std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(wanted - 1),
                       best.end());
    for (std::size_t i = 0; i < estimates_.size(); ++i) {
      if (evaluated_[i]) continue;
      const bool may_be = wanted < keep_ || *estimates_[i] / (1 + max_over_) < best[wanted - 1];
      if (may_be) chosen.push_back(i);
    }
  }
  begun_ = true;
  std::sort(chosen.begin(), chosen.end());
  for (const std::size_t one : chosen) evaluated_[one] = true;
  return chosen;
}

void Halving::found(std::size_t candidate, std::optional<double> value) {
  if (!value) return;
  values_.push_back(*value);
  if (!estimates_[candidate] || !(*value > 0)) return;
  const double by = *estimates_[candidate] / *value - 1;
  max_over_ = std::max(max_over_, by);
  if (std::abs(by) > std::abs(max_error_)) max_error_ = by;
}

}  // namespace orrery::explore

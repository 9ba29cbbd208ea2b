// SPDX-License-Identifier: Apache-2.0
#include "orrery/search/plans/halving.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery::search {

namespace {

constexpr std::size_t kTimesKept = 2;    // looked at dearly at least, for each that is wanted …
constexpr std::size_t kOneIn = 16;       // … and of all candidates
constexpr std::size_t kSampleOneIn = 4;  // of these many more of the rest

}  // namespace

Halving::Halving(std::vector<std::optional<double>> told, std::size_t keep)
    : told_(std::move(told)), keep_(std::max<std::size_t>(keep, 1)), looked_at_(told_.size()) {}

std::vector<std::size_t> Halving::first() const {
  std::vector<std::size_t> chosen, order;
  for (std::size_t i = 0; i < told_.size(); ++i) (told_[i] ? order : chosen).push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *told_[a] < *told_[b]; });
  const std::size_t best =
      std::min(order.size(), std::max(kTimesKept * keep_, told_.size() / kOneIn));
  chosen.insert(chosen.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best));
  const std::size_t rest = order.size() - best;
  const std::size_t sample = std::min(rest, (best + kSampleOneIn - 1) / kSampleOneIn);
  for (std::size_t i = 0; i < sample; ++i)  // evenly over the ranks
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
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (looked_at_[i]) continue;
      const bool may_be = wanted < keep_ || *told_[i] / (1 + over_) < best[wanted - 1];
      if (may_be) chosen.push_back(i);
    }
  }
  begun_ = true;
  std::sort(chosen.begin(), chosen.end());
  for (const std::size_t one : chosen) looked_at_[one] = true;
  return chosen;
}

void Halving::found(std::size_t candidate, std::optional<double> value) {
  if (!value) return;
  values_.push_back(*value);
  if (!told_[candidate] || !(*value > 0)) return;
  const double by = *told_[candidate] / *value - 1;
  over_ = std::max(over_, by);
  if (std::abs(by) > std::abs(off_)) off_ = by;
}

}  // namespace orrery::search

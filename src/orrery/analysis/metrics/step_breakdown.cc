// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/step_breakdown.h"

#include <algorithm>

namespace orrery::analysis {

namespace {

/// Classes of ranks with equal times.
class Classes {
 public:
  Classes(std::span<const RankTimes> times, std::span<const std::uint32_t> class_of)
      : times_(times), class_of_(class_of) {
    if (class_of.empty()) return;
    members_.resize(times.size());
    for (const std::uint32_t one : class_of) ++members_[one];
  }

  [[nodiscard]] std::size_t ranks() const {
    return class_of_.empty() ? times_.size() : class_of_.size();
  }
  [[nodiscard]] std::size_t members(std::size_t one) const {
    return class_of_.empty() ? 1 : members_[one];
  }
  [[nodiscard]] const RankTimes& of_rank(std::size_t rank) const {
    return times_[class_of_.empty() ? rank : class_of_[rank]];
  }

  /// Mean over ranks, rounded down.
  [[nodiscard]] Time mean(Time RankTimes::*part) const {
    if (ranks() == 0) return {};
    __extension__ __int128 sum = 0;
    for (std::size_t c = 0; c < times_.size(); ++c)
      sum += static_cast<__int128>((times_[c].*part).count()) * static_cast<__int128>(members(c));
    return Time(static_cast<std::int64_t>(sum / static_cast<__int128>(ranks())));
  }

  /// Classes that finished, latest first.
  [[nodiscard]] std::vector<std::uint32_t> by_finish() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < times_.size(); ++c) {
      if (times_[c].finish && members(c) > 0) order.push_back(c);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return times_[a].finish > times_[b].finish;
    });
    return order;
  }

  /// The finish of the rank at index `before` in descending order of finish.
  [[nodiscard]] Time finish_at(const std::vector<std::uint32_t>& order, std::size_t before) const {
    for (const std::uint32_t one : order) {
      if (before < members(one)) return *times_[one].finish;
      before -= members(one);
    }
    return *times_[order.back()].finish;
  }

 private:
  std::span<const RankTimes> times_;
  std::span<const std::uint32_t> class_of_;
  std::vector<std::size_t> members_;  // by class
};

/// The `limit` ranks that finish last, none before `least`.
std::vector<SlowRank> slowest_of(const Classes& classes, Time least, std::size_t limit) {
  std::vector<SlowRank> later, equal;
  for (std::size_t rank = 0; rank < classes.ranks(); ++rank) {
    const auto& finish = classes.of_rank(rank).finish;
    if (!finish || *finish < least) continue;
    if (*finish > least) {
      later.push_back({static_cast<std::uint32_t>(rank), *finish});
    } else if (equal.size() < limit) {
      equal.push_back({static_cast<std::uint32_t>(rank), *finish});
    }
  }
  std::stable_sort(later.begin(), later.end(),
                   [](const SlowRank& a, const SlowRank& b) { return a.finish > b.finish; });
  later.insert(later.end(), equal.begin(), equal.end());
  later.resize(std::min(limit, later.size()));
  return later;
}

}  // namespace

Breakdown break_down(std::span<const RankTimes> times, Time step, std::size_t limit,
                     std::span<const std::uint32_t> class_of) {
  const Classes classes(times, class_of);
  Breakdown result;
  result.step = step;
  result.compute = classes.mean(&RankTimes::compute);
  result.comm_only = classes.mean(&RankTimes::comm_only);
  result.memory_only = classes.mean(&RankTimes::memory_only);
  result.comm = classes.mean(&RankTimes::comm);
  result.idle = std::max(Time{}, step - result.compute - result.comm_only - result.memory_only);

  const std::vector<std::uint32_t> order = classes.by_finish();
  if (order.empty()) return result;
  std::size_t finished = 0;
  for (const std::uint32_t one : order) finished += classes.members(one);
  result.finished = static_cast<std::uint32_t>(finished);
  result.fastest = *times[order.back()].finish;
  result.median = classes.finish_at(order, finished / 2);
  if (limit > 0)
    result.slowest =
        slowest_of(classes, classes.finish_at(order, std::min(limit, finished) - 1), limit);
  return result;
}

}  // namespace orrery::analysis

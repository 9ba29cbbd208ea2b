// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/breakdown.h"

#include <algorithm>

namespace orrery::analysis {

namespace {

/// A sum of times that cannot overflow: seconds and picoseconds apart.
class Sum {
 public:
  void add(Time time) {
    seconds_ += time.count() / kPsPerSecond;
    rest_ += time.count() % kPsPerSecond;
    seconds_ += rest_ / kPsPerSecond;
    rest_ %= kPsPerSecond;
  }
  [[nodiscard]] Time mean(std::size_t count) const {
    const auto n = static_cast<std::int64_t>(count);
    if (n == 0) return {};
    return Time(seconds_ / n * kPsPerSecond + (seconds_ % n * kPsPerSecond + rest_) / n);
  }

 private:
  std::int64_t seconds_ = 0;
  std::int64_t rest_ = 0;
};

}  // namespace

Breakdown break_down(std::span<const RankTimes> ranks, Time step, std::size_t most) {
  Breakdown result;
  result.step = step;
  Sum compute, comm_only, memory_only, comm;
  std::vector<SlowRank> finishes;
  finishes.reserve(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankTimes& times = ranks[rank];
    compute.add(times.compute);
    comm_only.add(times.comm_only);
    memory_only.add(times.memory_only);
    comm.add(times.comm);
    if (times.finish) finishes.push_back({static_cast<std::uint32_t>(rank), *times.finish});
  }
  result.compute = compute.mean(ranks.size());
  result.comm_only = comm_only.mean(ranks.size());
  result.memory_only = memory_only.mean(ranks.size());
  result.comm = comm.mean(ranks.size());
  result.idle = std::max(Time{}, step - result.compute - result.comm_only - result.memory_only);
  result.finished = static_cast<std::uint32_t>(finishes.size());
  if (finishes.empty()) return result;

  const auto later = [](const SlowRank& a, const SlowRank& b) {
    return a.finish != b.finish ? a.finish > b.finish : a.rank < b.rank;
  };
  std::sort(finishes.begin(), finishes.end(), later);
  result.fastest = finishes.back().finish;
  result.median = finishes[finishes.size() / 2].finish;
  finishes.resize(std::min(most, finishes.size()));
  result.slowest = std::move(finishes);
  return result;
}

}  // namespace orrery::analysis

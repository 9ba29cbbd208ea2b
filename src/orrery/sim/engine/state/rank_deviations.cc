// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/state/rank_deviations.h"

#include <cmath>
#include <map>

#include "orrery/network/dimensions/multi_dim_fabric.h"

namespace orrery::sim {

Time scaled(Time time, double factor, std::int64_t tick) {
  if (factor == 1) return time;
  const double picoseconds = static_cast<double>(time.count()) * factor;
  const double ticks = std::ceil(picoseconds / static_cast<double>(tick));
  const std::int64_t most = model::MultiDimFabric::kTooLong / tick;
  const auto longest = static_cast<double>(most);
  return Time(ticks < longest ? static_cast<std::int64_t>(ticks) * tick
                              : model::MultiDimFabric::kTooLong);
}

RankDeviations::RankDeviations(const platform::Platform& platform)
    : tick_(platform.rules == platform::Rules::astra ? kPsPerNs : 1) {
  const auto ranks = static_cast<std::size_t>(platform.npu_count());
  std::map<Class, std::uint32_t> numbers{{Class{}, 0}};
  for (const platform::Deviation& deviation : platform.deviations) {
    const std::int64_t late = deviation.start.count();
    const Class own{deviation.compute_time, deviation.host_time, deviation.copy_time,
                    deviation.communication_time, Time((late + tick_ - 1) / tick_ * tick_)};
    const auto next = static_cast<std::uint32_t>(classes_.size());
    const auto [found, added] = numbers.try_emplace(own, next);
    if (added) classes_.push_back(own);
    if (found->second == 0) continue;
    class_of_.resize(ranks);
    for (const std::uint32_t rank : deviation.ranks) {
      if (rank < ranks) class_of_[rank] = found->second;
    }
  }
}

}  // namespace orrery::sim

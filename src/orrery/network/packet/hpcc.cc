// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/hpcc.h"

#include <algorithm>
#include <utility>

namespace orrery::model {

Hpcc::Hpcc(const platform::HpccSettings& settings, double window)
    : target_(settings.utilization),
      increase_(static_cast<double>(settings.increase.count())),
      most_(window),
      stages_(settings.stages),
      window_(window),
      reference_(window) {}

void Hpcc::measure(std::span<const LinkLoadRecord> records, double round_trip) {
  double most = 0, between = 0;
  last_.resize(std::max(last_.size(), records.size()));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LinkLoadRecord& now = records[i];
    const LinkLoadRecord last = std::exchange(last_[i], now);
    if (now.link == LinkLoadRecord::kNoLink || last.link != now.link || now.time <= last.time)
      continue;
    const double time = static_cast<double>(now.time - last.time);
    const double queue = static_cast<double>(std::min(now.queue, last.queue));
    const double load = queue * now.ps_per_byte / round_trip +
                        static_cast<double>(now.bytes - last.bytes) * now.ps_per_byte / time;
    if (load <= most) continue;
    most = load;
    between = time;
  }
  if (between == 0) return;
  const double weight = std::min(between, round_trip) / round_trip;
  utilization_ += weight * (most - utilization_);
}

void Hpcc::acknowledged(std::span<const LinkLoadRecord> records, double round_trip,
                        std::int64_t acknowledged, std::int64_t sent) {
  measure(records, round_trip);
  const bool is_update = acknowledged > updated_;
  const bool is_multiplied = utilization_ >= target_ || stage_ >= stages_;
  // Without any load measured yet, the window is the largest one.
  const double factor = is_multiplied && utilization_ > 0 ? target_ / utilization_ : 1;
  window_ = std::clamp(reference_ * factor + increase_, increase_, most_);
  if (!is_update) return;
  stage_ = is_multiplied ? 0 : stage_ + 1;
  reference_ = window_;
  updated_ = sent;
}

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/swift.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {

Swift::Swift(const platform::SwiftSettings& settings, std::int64_t packet, double window,
             std::int64_t round_trip)
    : settings_(settings),
      packet_(static_cast<double>(packet)),
      window_(std::clamp(window / packet_, kLeast, kMost)),
      delay_(round_trip) {
  const std::int64_t target =
      settings.target.count() > 0 ? settings.target.count() : round_trip / 2;
  base_ = static_cast<double>(round_trip + target);
  range_ = static_cast<double>(settings.range.count() > 0 ? settings.range.count() : target);
  const double last = 1 / std::sqrt(settings.range_to);
  slope_ = range_ / (1 / std::sqrt(settings.range_from) - last);
  offset_ = -slope_ * last;
}

double Swift::target(std::uint32_t hops) const {
  return base_ + static_cast<double>(settings_.per_hop.count()) * hops +
         std::clamp(slope_ / std::sqrt(window_) + offset_, 0.0, range_);
}

void Swift::acknowledged(std::int64_t now, std::int64_t bytes, std::int64_t delay,
                         std::uint32_t hops) {
  if (delay >= 0) delay_ = delay;
  const double packets = static_cast<double>(bytes) / packet_;
  const double late = static_cast<double>(delay_), wanted = target(hops);
  if (late < wanted) {
    window_ += settings_.increase * packets / std::max(1.0, window_);
  } else if (now - decreased_at_ >= delay_) {
    window_ *=
        std::max(1 - settings_.decrease * (late - wanted) / late, 1 - settings_.most_decrease);
    decreased_at_ = now;
  }
  window_ = std::clamp(window_, kLeast, kMost);
}

void Swift::lost(std::int64_t now) {
  if (now - decreased_at_ < delay_) return;
  window_ = std::max(kLeast, window_ * (1 - settings_.most_decrease));
  decreased_at_ = now;
}

}  // namespace orrery::model

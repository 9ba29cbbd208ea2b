// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet/dcqcn.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {

namespace {
constexpr double kPerPicosecond = 1e-12;
}

Dcqcn::Dcqcn(const platform::DcqcnSettings& settings, double line_rate)
    : gain_(settings.gain),
      additive_(settings.additive.count() * kPerPicosecond),
      hyper_(settings.hyper.count() * kPerPicosecond),
      least_(std::min(settings.least.count() * kPerPicosecond, line_rate)),
      most_(line_rate),
      alpha_period_(settings.alpha_period.count()),
      increase_period_(settings.increase_period.count()),
      increase_bytes_(settings.increase_bytes.count()),
      fast_recovery_(settings.fast_recovery),
      rate_(line_rate),
      target_(line_rate) {}

void Dcqcn::advance(std::int64_t now) {
  while (is_limited() && timer_ <= now) {
    ++by_time_;
    timer_ += increase_period_;
    increase();
  }
}

void Dcqcn::sent(std::int64_t bytes) {
  if (!is_limited()) return;
  bytes_ += bytes;
  while (is_limited() && bytes_ >= increase_bytes_) {
    bytes_ -= increase_bytes_;
    ++by_bytes_;
    increase();
  }
}

void Dcqcn::increase() {
  const std::int64_t most = std::max(by_time_, by_bytes_), least = std::min(by_time_, by_bytes_);
  if (least > fast_recovery_)
    target_ += hyper_;
  else if (most > fast_recovery_)
    target_ += additive_;
  target_ = std::min(target_, most_);
  rate_ = (target_ + rate_) / 2;
  // Halfway steps alone would never reach the rate of the port.
  if (rate_ > 0.999 * most_) rate_ = most_;
}

void Dcqcn::decay(std::int64_t now) {
  const std::int64_t periods = (now - alpha_at_) / alpha_period_;
  if (periods <= 0) return;
  alpha_ *= std::pow(1 - gain_, static_cast<double>(periods));
  alpha_at_ += periods * alpha_period_;
}

void Dcqcn::notified(std::int64_t now) {
  advance(now);
  if (timer_ == kNever)
    alpha_at_ = now;  // the first notification finds alpha = 1
  else
    decay(now);
  target_ = rate_;
  rate_ = std::max(least_, rate_ * (1 - alpha_ / 2));
  alpha_ = (1 - gain_) * alpha_ + gain_;
  alpha_at_ = now;
  timer_ = now + increase_period_;
  bytes_ = by_time_ = by_bytes_ = 0;
}

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// DCQCN: the rate of a sender follows the notifications of its receiver.
#pragma once

#include <cstdint>

#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// The reaction point of DCQCN. A notification multiplies the rate by 1 - alpha / 2, and alpha
/// grows by the gain towards 1; without notifications it decays. Time and sent bytes count
/// increases: the first ones return halfway to the rate before the decrease (fast recovery), later
/// ones also raise the target, additively, and faster when both have passed fast recovery. Source:
/// Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.2 and
/// algorithm 1.
///
/// Rates are bytes per picosecond, times are picoseconds.
class Dcqcn {
 public:
  static constexpr std::int64_t kNever = INT64_MAX;

  Dcqcn(const platform::DcqcnSettings& settings, double line_rate);

  [[nodiscard]] double rate() const { return rate_; }
  /// Whether it sends below the rate of the port.
  [[nodiscard]] bool is_limited() const { return rate_ < most_; }
  /// The time of the next increase; kNever: it sends at the rate of the port.
  [[nodiscard]] std::int64_t next_increase() const { return is_limited() ? timer_ : kNever; }
  /// Increases until `now`.
  void advance(std::int64_t now);
  /// It has sent `bytes`.
  void sent(std::int64_t bytes);
  /// A notification arrives.
  void notified(std::int64_t now);

 private:
  void increase();
  void decay(std::int64_t now);

  double gain_, additive_, hyper_, least_, most_;
  std::int64_t alpha_period_, increase_period_, increase_bytes_, fast_recovery_;
  double rate_, target_;
  double alpha_ = 1;
  std::int64_t alpha_at_ = 0;                // until when alpha has decayed
  std::int64_t timer_ = kNever;              // of the next increase by time
  std::int64_t bytes_ = 0;                   // since the last increase by bytes
  std::int64_t by_time_ = 0, by_bytes_ = 0;  // increases since the last notification
};

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// Swift: the window of a sender follows the delay of its packets.
#pragma once

#include <cstdint>

#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// The window of Swift: additive increase below the target of the delay; above it, a decrease by
/// the distance to the target, at most once per round trip. The target grows with the links of the
/// route and for small windows, so that many flows share a link fairly. Source: Kumar et al.,
/// "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020,
/// algorithm 1 and section 3.5.
class Swift {
 public:
  /// `packet`: its bytes; `window`: initially; `round_trip`: of the pair without contention.
  Swift(const platform::SwiftSettings& settings, std::int64_t packet, double window,
        std::int64_t round_trip);

  /// Bytes; may be less than one packet.
  [[nodiscard]] double window() const { return window_ * packet_; }
  /// The delay of a packet over `hops` links above which the window decreases.
  [[nodiscard]] double target(std::uint32_t hops) const;
  void acknowledged(std::int64_t now, std::int64_t bytes, std::int64_t delay, std::uint32_t hops);
  void lost(std::int64_t now);
  /// The last delay of a packet and its acknowledgement.
  [[nodiscard]] std::int64_t delay() const { return delay_; }

 private:
  static constexpr double kLeast = 0.001, kMost = 1e6;  // packets

  platform::SwiftSettings settings_;
  double packet_, window_;  // window: in packets
  double base_, range_, slope_, offset_;
  std::int64_t delay_;
  std::int64_t decreased_at_ = 0;
};

}  // namespace orrery::model

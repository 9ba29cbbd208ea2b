// SPDX-License-Identifier: Apache-2.0
//
// HPCC: the window of a sender follows the load that switches write into its packets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// What a switch writes into a packet that leaves it (in-band network telemetry).
struct LinkLoadRecord {
  static constexpr std::uint32_t kNoLink = ~0u;

  std::int64_t time = 0;         ///< when the packet leaves its queue
  std::int64_t bytes = 0;        ///< that the link has sent until then
  double ps_per_byte = 0;        ///< of the link
  std::uint32_t queue = 0;       ///< bytes that wait
  std::uint32_t link = kNoLink;  ///< kNoLink: the node is no switch
};
/// Records per packet; later switches write none. HPCC's header has 5.
inline constexpr std::uint32_t kLoadRecords = 8;

/// The window of HPCC: the estimate U of the largest load among the links of the route, as queue
/// and rate in units of the bandwidth-delay product, smoothed over one base round trip. The window
/// is multiplied by utilization / U if U is above the target or after some additive stages; its
/// reference changes once per round trip. Source: Li et al., "HPCC: High Precision Congestion
/// Control", SIGCOMM 2019, algorithm 1.
class Hpcc {
 public:
  /// `window`: the bandwidth-delay product, the initial and the largest window.
  Hpcc(const platform::HpccSettings& settings, double window);

  [[nodiscard]] double window() const { return window_; }
  [[nodiscard]] double utilization() const { return utilization_; }
  /// `acknowledged`: bytes so far; `sent`: bytes so far.
  void acknowledged(std::span<const LinkLoadRecord> records, double round_trip,
                    std::int64_t acknowledged, std::int64_t sent);

 private:
  void measure(std::span<const LinkLoadRecord> records, double round_trip);

  double target_, increase_, most_;
  std::int64_t stages_;
  double window_, reference_;
  double utilization_ = 0;
  std::int64_t stage_ = 0;
  std::int64_t updated_ = 0;  // bytes sent at the last change of the reference
  std::vector<LinkLoadRecord> last_;
};

}  // namespace orrery::model

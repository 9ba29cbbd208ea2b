// SPDX-License-Identifier: Apache-2.0
//
// Congestion control of senders: how many bytes a connection may have in flight.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>

#include "orrery/network/packet/dcqcn.h"
#include "orrery/network/packet/hpcc.h"
#include "orrery/network/packet/swift.h"
#include "orrery/platform/packet_settings.h"

namespace orrery::model {

/// What is equal for all connections of a class of links.
struct CongestionLimits {
  platform::PacketTransport transport = platform::PacketTransport::window;
  std::int64_t packet = 0;        ///< bytes of a full packet on the wire
  std::int64_t payload = 0;       ///< bytes of its payload
  std::int64_t target_share = 4;  ///< quarters of the round trip: the target of the queueing delay
};

/// What an acknowledgement says.
struct CongestionFeedback {
  std::int64_t now = 0;
  std::int64_t bytes = 0;                   ///< that arrived
  std::int64_t round_trip = 0;              ///< of the packet that caused it; -1: not known
  bool is_marked = false;                   ///< whether that packet was marked
  std::uint32_t hops = 0;                   ///< its links
  std::int64_t in_flight = 0;               ///< bytes, after it
  std::int64_t acknowledged = 0, sent = 0;  ///< bytes so far
  std::span<const LinkLoadRecord> records;  ///< what switches wrote into the packet
};

/// The window of one connection, and its rate if it is paced.
///
/// `nscc` is the network-signaled congestion control of Ultra Ethernet: marks and the delay of
/// packets form four cases. Not marked and faster than the target: increase by the distance to the
/// target, or fast if the delay is below 1 us. Not marked and slower: increase fairly. Marked and
/// slower: decrease, at most once per round trip. Marked and faster: only the route changes. If
/// packets are lost or four times slower than the target, the window becomes what arrived in the
/// last round trip. Sources: Ultra Ethernet Specification 1.0, section on NSCC; constants as in the
/// simulator of the Ultra Ethernet Consortium (uet-htsim, 40ccb05).
///
/// `dctcp` decreases by half the smoothed share of marked bytes, at most once per window, and
/// increases by one packet per window otherwise. Source: Alizadeh et al., "Data Center TCP
/// (DCTCP)", SIGCOMM 2010, section 3.
///
/// `dcqcn`, `hpcc`, `swift`: the classes of these names. `rccc`: a window of 1.5 bandwidth-delay
/// products; credit limits it further.
class Congestion {
 public:
  static constexpr std::int64_t kNever = Dcqcn::kNever;

  /// `window`: initially, and of transport `window` always; 0: unlimited. `round_trip`: of one
  /// packet without contention, in picoseconds. `bytes_per_ps`: of the sender's port.
  void begin(const CongestionLimits& limits, const platform::PacketSettings& settings,
             std::int64_t window, std::int64_t round_trip, double bytes_per_ps);

  /// Bytes that may be in flight; 0: no limit.
  [[nodiscard]] std::int64_t window() const { return static_cast<std::int64_t>(window_); }
  /// Bytes per picosecond; 0: it is not paced.
  [[nodiscard]] double rate() const { return rate_; }
  /// How often the window or the rate became smaller.
  [[nodiscard]] std::uint64_t reductions() const { return reductions_; }
  /// The time at which the rate changes by itself; kNever: it does not.
  [[nodiscard]] std::int64_t next_change() const {
    const auto* dcqcn = std::get_if<Dcqcn>(&control_);
    return dcqcn == nullptr ? kNever : dcqcn->next_increase();
  }
  /// Changes the rate until `now`.
  void advance(std::int64_t now);
  /// It has sent `bytes`.
  void sent(std::int64_t bytes);

  void acknowledged(const CongestionLimits& limits, const CongestionFeedback& feedback);
  /// The receiver notifies of congestion (DCQCN).
  void notified(std::int64_t now);
  /// `bytes` must be sent again.
  void lost(const CongestionLimits& limits, std::int64_t now, std::int64_t bytes,
            std::int64_t in_flight);

 private:
  void set_round_trip(const CongestionLimits& limits, std::int64_t round_trip);
  void set_paced(const CongestionLimits& limits, double window, double round_trip);
  void acknowledge_nscc(const CongestionLimits& limits, std::int64_t now, std::int64_t bytes,
                        std::int64_t delay, bool is_marked, std::int64_t in_flight);
  void acknowledge_dctcp(const CongestionLimits& limits, std::int64_t now, std::int64_t bytes,
                         bool is_marked);
  bool adapt(const CongestionLimits& limits, std::int64_t now, std::int64_t delay, bool is_loss,
             bool is_marked, std::int64_t in_flight);
  void average(std::int64_t delay, bool is_marked);
  void bound(const CongestionLimits& limits);

  double window_ = 0, most_ = 0, bytes_per_ps_ = 0;
  double rate_ = 0;
  std::int64_t round_trip_ = 0, target_ = 0;
  double scale_ = 1;  // bandwidth-delay product, relative to 100 Gb/s x 12 us
  double delay_ = 0;  // smoothed; dctcp: smoothed share of marked bytes
  double increase_ = 0;
  std::int64_t fast_bytes_ = 0;  // acknowledged without delay in a row
  bool is_fast_ = false;
  bool must_adapt_ = false;
  std::int64_t arrived_ = 0, since_increase_ = 0;  // bytes since the last of both
  std::int64_t ignored_ = 0, to_ignore_ = 0;
  std::uint64_t reductions_ = 0;
  std::int64_t adapts_at_ = 0, increased_at_ = 0, decreased_at_ = 0;
  std::variant<std::monostate, Dcqcn, Hpcc, Swift> control_;  // of the other transports
};

/// What one round trip takes at the rate of the sender's link, so that the window alone slows no
/// pair down; at least 64 packets. Bytes on the wire. `round_trip`: picoseconds, without
/// contention. `packet`: bytes of a full packet.
[[nodiscard]] inline std::int64_t round_trip_window(std::int64_t round_trip, double bytes_per_ps,
                                                    std::int64_t packet) {
  const double trip =
      std::ceil(static_cast<double>(round_trip) * bytes_per_ps / static_cast<double>(packet));
  return packet * std::max<std::int64_t>(64, static_cast<std::int64_t>(std::min(trip, 1e9)));
}

}  // namespace orrery::model

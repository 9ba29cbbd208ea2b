// SPDX-License-Identifier: Apache-2.0
//
// Packets and their transport, for the packet network. docs/packets.md explains the settings and
// gives the source of each default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "orrery/core/enum_names.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// How the packets of a device's messages enter its port.
enum class PacketPosting : std::uint8_t {
  turns,  ///< receivers take turns, packet by packet; acknowledgements go first
  fifo,   ///< all that the windows allow at once, in one queue with the acknowledgements
};

/// How a sender limits its packets in flight.
enum class PacketTransport : std::uint8_t {
  window,     ///< a constant number of packets for each receiver
  dctcp,      ///< a window that follows the share of marked packets
  dcqcn,      ///< a rate that follows congestion notifications of the receiver (RoCE)
  hpcc,       ///< a window that follows the load that switches write into packets
  swift,      ///< a window that follows the delay of packets
  nscc,       ///< a window that follows marks and the delay of packets (Ultra Ethernet)
  rccc,       ///< credits of the receiver (Ultra Ethernet)
  nscc_rccc,  ///< the lower of both limits
};

/// As cluster files name it.
[[nodiscard]] constexpr std::string_view transport_name(PacketTransport transport) {
  constexpr auto names = enumerator_names<PacketTransport::nscc_rccc>(
      "window", "dctcp", "dcqcn", "hpcc", "swift", "nscc", "rccc", "nscc_rccc");
  return names[static_cast<std::size_t>(transport)];
}

/// Which of the equally short routes the packets to a receiver use, if they are sprayed.
enum class PacketSpraying : std::uint8_t {
  oblivious,  ///< all, in turn
  bitmap,     ///< all in turn, but routes with marks or losses are left out for one turn
  reps,      ///< those of acknowledged packets without a mark again; without such a route, the next
  mixed,     ///< as reps, and routes with marks or losses are left out for one turn
  adaptive,  ///< every switch uses the shortest of its queues
};

/// What happens after a packet is lost.
enum class PacketReliability : std::uint8_t {
  selective,  ///< only lost packets are sent again; the receiver stores the others
  go_back_n,  ///< all packets from the lost one on are sent again; the receiver drops the others
};

/// The order of packets of different priorities at a port.
enum class PacketScheduling : std::uint8_t {
  strict,    ///< the highest priority first
  weighted,  ///< deficit round robin by weight
};

/// What is not simulated packet by packet. Results are the same.
enum class PacketSkipping : std::uint8_t {
  off,
  repeats,  ///< messages that contend as others did before, and periods of long messages
};

/// Priorities of traffic, higher is more urgent.
struct PacketPriorities {
  static constexpr std::int64_t kMost = 7;  ///< as in IEEE 802.1Q

  std::int64_t collective = 0, point_to_point = 0, announcement = 0, memory = 0;

  friend bool operator==(const PacketPriorities&, const PacketPriorities&) = default;
};

/// Source of defaults: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM
/// 2015, section 5 and figure 14; `hyper` and `least`: configuration of the simulator of HPCC.
struct DcqcnSettings {
  Time notify_every = us(50);
  Time notify_delay{};
  double gain = 1.0 / 256;
  Time alpha_period = us(55);
  Time increase_period = us(55);
  Bytes increase_bytes{10'000'000};
  std::int64_t fast_recovery = 5;
  Bandwidth additive{5e6};
  Bandwidth hyper{12.5e6};
  Bandwidth least{12.5e6};

  friend bool operator==(const DcqcnSettings&, const DcqcnSettings&) = default;
};

/// Source of defaults: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, 5.1.
struct HpccSettings {
  double utilization = 0.95;
  std::int64_t stages = 5;
  Bytes increase{80};

  friend bool operator==(const HpccSettings&, const HpccSettings&) = default;
};

/// Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
/// Datacenter", SIGCOMM 2020, section 3. Values: csg-htsim (841d9e7).
struct SwiftSettings {
  Time target{};  ///< 0: half of the round trip of the pair
  Time per_hop{};
  double increase = 1;
  double decrease = 0.8;
  double most_decrease = 0.5;
  Time range{};  ///< 0: as `target`
  double range_from = 0.1, range_to = 100;

  friend bool operator==(const SwiftSettings&, const SwiftSettings&) = default;
};

/// Source: Ultra Ethernet Specification 1.0, as in its simulator (uet-htsim, 40ccb05).
struct CreditSettings {
  double rate = 0.99;
  std::int64_t packets = 4;

  friend bool operator==(const CreditSettings&, const CreditSettings&) = default;
};

/// What one class of links does differently.
struct PacketClass {
  LinkClass links = LinkClass::network;
  std::optional<PacketTransport> transport;
  std::optional<Bytes> queue;
  std::optional<bool> trims;
  std::optional<Bytes> mark_from, mark_to;
  std::optional<double> mark_most;
  std::optional<bool> pfc;
  std::optional<Bytes> headroom;

  friend bool operator==(const PacketClass&, const PacketClass&) = default;
};

/// All sizes are bytes on the wire, except `payload` and `acknowledge_every`.
struct PacketSettings {
  std::optional<Bytes> payload;  ///< of a packet; empty: that of the fabric's transport, else 4 KiB
  std::optional<Bytes> header;   ///< empty: as the payload, else 62 B
  Bytes acknowledgement{62};
  Bytes acknowledge_every{};           ///< payload per acknowledgement; 0: every packet
  std::optional<std::int64_t> window;  ///< packets; 0: unlimited; empty: the fabric's, else
                                       ///< one round trip of the pair, at least 64
  PacketPosting posting = PacketPosting::turns;
  std::int64_t entropies = 64;  ///< number of routes over which a pair's packets are sprayed
  PacketSpraying spraying = PacketSpraying::oblivious;
  PacketTransport transport = PacketTransport::window;
  Time round_trip{};   ///< of transports that set their window; 0: that of the pair, unloaded
  Bytes queue{};       ///< of data packets at a switch's port; 0: unlimited
  bool trims = false;  ///< a packet without room in a queue continues as a header
  Bytes mark_from{}, mark_to{};   ///< length of a queue: from there some, from there all are marked
  double mark_most = 1;           ///< probability of a mark just below `mark_to`
  Bytes buffer{};                 ///< that the ports of a switch share; 0: none
  double buffer_share = 0.125;    ///< of the free buffer that one queue, or one port, may use
  bool pfc = false;               ///< priority flow control (IEEE 802.1Qbb)
  std::optional<Bytes> headroom;  ///< for packets after a pause; empty: as many as can follow
  Bytes resume_below{3072};       ///< distance to the threshold of the pause: senders resume there
  PacketPriorities priorities;
  PacketScheduling scheduling = PacketScheduling::strict;
  std::vector<std::int64_t> weights;  ///< by priority, if `weighted`
  PacketReliability reliability = PacketReliability::selective;
  Time timeout = us(100);       ///< after which unacknowledged packets are sent again
  std::int64_t retries = 1000;  ///< timeouts in a row after which a sender gives up
  Time reroute_after{};         ///< from a fault to the use of other routes
  PacketSkipping skip = PacketSkipping::off;
  std::int64_t seed = 1;  ///< of marks, trimmed packets and routes
  DcqcnSettings dcqcn;
  HpccSettings hpcc;
  SwiftSettings swift;
  CreditSettings credits;
  std::vector<PacketClass> classes;

  friend bool operator==(const PacketSettings&, const PacketSettings&) = default;
};

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// What happened to the packets of a run: in total, at each port over time, and to each message.
// Every number is simulated.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"

namespace orrery {

/// Data packets of a run. sent = received + dropped() + trimmed + in_flight.
struct PacketTotals {
  std::uint64_t sent = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t received = 0;
  std::uint64_t discarded = 0;
  std::uint64_t dropped_no_room = 0;
  std::uint64_t dropped_no_headroom = 0;
  std::uint64_t dropped_link_down = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t marked = 0;
  std::uint64_t cnps = 0;
  std::uint64_t reductions = 0;
  std::uint64_t pauses = 0;
  std::uint64_t paused = 0;         ///< picoseconds
  std::uint64_t longest_queue = 0;  ///< bytes

  [[nodiscard]] std::uint64_t dropped() const {
    return dropped_no_room + dropped_no_headroom + dropped_link_down;
  }
  friend bool operator==(const PacketTotals&, const PacketTotals&) = default;
};

/// One number of PacketTotals: its column in the run file, its key in JSON, and its meaning.
struct PacketTotal {
  std::string_view column;
  std::string_view json;
  std::string_view meaning;
  std::uint64_t PacketTotals::*value;
};
inline constexpr std::array<PacketTotal, 15> kPacketTotals = {{
    {"sent", "sent_packets", "transmissions of data packets by their senders", &PacketTotals::sent},
    {"retransmitted", "retransmitted_packets", "of these, repeated ones",
     &PacketTotals::retransmitted},
    {"received", "received_packets",
     "data packets that reached their receiver, repeated ones included", &PacketTotals::received},
    {"discarded", "discarded_packets",
     "of these, packets that the receiver discarded because they were out of order",
     &PacketTotals::discarded},
    {"dropped_no_room", "dropped_no_room",
     "data packets dropped because the queue or the buffer was full",
     &PacketTotals::dropped_no_room},
    {"dropped_no_headroom", "dropped_no_headroom",
     "data packets dropped because the headroom after a pause was full",
     &PacketTotals::dropped_no_headroom},
    {"dropped_link_down", "dropped_link_down", "data packets dropped because a link was down",
     &PacketTotals::dropped_link_down},
    {"trimmed", "trimmed_packets", "data packets of which a switch sent only the header on",
     &PacketTotals::trimmed},
    {"in_flight", "in_flight_packets", "data packets in queues and on links at the end of the run",
     &PacketTotals::in_flight},
    {"marked", "marked_packets", "packets that a switch marked (ECN)", &PacketTotals::marked},
    {"cnps", "cnps", "congestion notifications that receivers sent (DCQCN)", &PacketTotals::cnps},
    {"reductions", "rate_reductions",
     "times that congestion control reduced the window or the rate of a sender",
     &PacketTotals::reductions},
    {"pauses", "pauses", "pauses of priority flow control", &PacketTotals::pauses},
    {"paused_ps", "paused_ns", "time for which ports were paused, summed over ports",
     &PacketTotals::paused},
    {"longest_queue_bytes", "longest_queue_bytes",
     "longest queue of one priority at a port of a switch", &PacketTotals::longest_queue},
}};

/// Packets at a port, which sends over one link in one direction.
struct PortPackets {
  std::uint64_t mean_queue = 0;  ///< bytes that wait
  std::uint64_t peak_queue = 0;  ///< bytes that wait
  std::uint64_t marked = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t dropped_no_room = 0;
  std::uint64_t dropped_no_headroom = 0;
  std::uint64_t dropped_link_down = 0;
  std::uint64_t pauses = 0;
  std::uint64_t paused = 0;  ///< picoseconds
  std::uint64_t retransmitted = 0;
  std::uint64_t cnps = 0;

  friend bool operator==(const PortPackets&, const PortPackets&) = default;
};

/// One number of PortPackets: its column in the run file, and its meaning.
struct PortPacketColumn {
  enum class Merge : std::uint8_t { mean, maximum, sum };
  std::string_view column;
  std::string_view meaning;
  std::uint64_t PortPackets::*value;
  Merge merge = Merge::sum;  ///< of parts of the time
};
inline constexpr std::array<PortPacketColumn, 11> kPortPacketColumns = {{
    {"mean_queue_bytes", "mean bytes of data packets that waited", &PortPackets::mean_queue,
     PortPacketColumn::Merge::mean},
    {"peak_queue_bytes", "most bytes of data packets that waited", &PortPackets::peak_queue,
     PortPacketColumn::Merge::maximum},
    {"marked", "packets that the port marked (ECN)", &PortPackets::marked},
    {"trimmed", "packets that the port trimmed to their header", &PortPackets::trimmed},
    {"dropped_no_room", "packets dropped because the queue or the buffer was full",
     &PortPackets::dropped_no_room},
    {"dropped_no_headroom", "packets dropped because the headroom after a pause was full",
     &PortPackets::dropped_no_headroom},
    {"dropped_link_down", "packets dropped because the link was down",
     &PortPackets::dropped_link_down},
    {"pauses", "pauses that the next node requested of the port (PFC)", &PortPackets::pauses},
    {"paused_ps", "time for which at least one priority of the port was paused",
     &PortPackets::paused},
    {"retransmitted", "packets that their sender sent again over the port",
     &PortPackets::retransmitted},
    {"cnps", "congestion notifications that a receiver sent over the port (DCQCN)",
     &PortPackets::cnps},
}};

/// A part of the time of a port, in which something happened.
struct PortPacketBin {
  std::uint32_t bin = 0;  ///< it begins at bin x PacketRecord::bin
  PortPackets packets;

  friend bool operator==(const PortPacketBin&, const PortPacketBin&) = default;
};

/// A port at which something happened.
struct PortPacketSeries {
  std::uint32_t link = 0;  ///< the link over which it sends
  PortPackets total;
  std::vector<PortPacketBin> bins;  ///< ascending

  friend bool operator==(const PortPacketSeries&, const PortPacketSeries&) = default;
};

/// One message between two end points.
struct PacketMessageTime {
  static constexpr std::int64_t kUnfinished = -1;

  std::uint32_t from = 0, to = 0;  ///< ranks; other end points follow the ranks
  std::int64_t bytes = 0;
  std::int64_t start = 0;          ///< picoseconds
  std::int64_t end = kUnfinished;  ///< arrival of its last packet
  std::int64_t ideal = 0;          ///< its duration without contention
  std::uint64_t retransmitted = 0;

  friend bool operator==(const PacketMessageTime&, const PacketMessageTime&) = default;
};

struct PacketRecord {
  PacketTotals totals;
  Time bin{};                           ///< length of the bins of all ports; 0: no series
  std::vector<PortPacketSeries> ports;  ///< by link, ascending
  std::uint64_t messages = 0;           ///< sent
  std::uint64_t message_step = 1;       ///< of these, every so many-th is in `message_times`
  std::vector<PacketMessageTime> message_times;  ///< in the order in which they were sent

  friend bool operator==(const PacketRecord&, const PacketRecord&) = default;
};

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
//
// Packets and their transport, for the packet network.
#pragma once

#include <cstdint>
#include <optional>

#include "orrery/core/quantity.h"

namespace orrery::platform {

/// How the packets of a device's messages enter its port.
enum class PacketPosting : std::uint8_t {
  turns,  ///< receivers take turns, packet by packet; acknowledgements go first
  fifo,   ///< all that the windows allow at once, in one queue with the acknowledgements
};

/// How a sender limits its packets in flight.
enum class PacketTransport : std::uint8_t {
  window,  ///< a constant number of packets for each receiver
  dctcp,   ///< a window that follows the share of marked packets
  nscc,    ///< a window that follows marks and the delay of packets (Ultra Ethernet)
};

/// Which of the equally short routes the packets to a receiver use, if they are sprayed.
enum class PacketSpraying : std::uint8_t {
  oblivious,  ///< all, in turn
  reps,   ///< those of acknowledged packets without a mark again; without such a route, the next
  mixed,  ///< as reps, and routes with marks or losses are left out for one turn
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
  Time round_trip{};             ///< of transports without `window`; 0: that of the pair, unloaded
  Bytes queue{};                 ///< of data packets at a switch's port; 0: unlimited
  bool trims = false;            ///< a packet without room in a queue continues as a header
  Bytes mark_from{}, mark_to{};  ///< length of a queue: from there some, from there all are marked
  Time timeout = us(100);        ///< after which unacknowledged packets are sent again
  std::int64_t seed = 1;         ///< of marks, trimmed packets and routes

  friend bool operator==(const PacketSettings&, const PacketSettings&) = default;
};

}  // namespace orrery::platform

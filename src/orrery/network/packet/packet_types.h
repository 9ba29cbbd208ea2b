// SPDX-License-Identifier: Apache-2.0
//
// The plain data of the packet network: packets, ports, messages, connections.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/network/packet/congestion.h"
#include "orrery/network/packet/packet_route_pool.h"
#include "orrery/network/packet/spraying.h"

namespace orrery::model {

inline constexpr std::uint32_t kNoPacket = ~0u;

enum class PacketKind : std::uint8_t {
  data,
  acknowledgement,
  header,    ///< of a data packet that found no room
  negative,  ///< acknowledgement of a header: the packet must be sent again
};

/// A packet in flight or in a queue. One line of the cache.
struct alignas(64) Packet {
  static constexpr std::uint32_t kLinks = 5;
  std::uint32_t connection = 0;
  std::uint32_t next = kNoPacket;  ///< in a queue, or among unused packets
  std::uint32_t number = 0;        ///< of the data packet in its connection, the lowest 32 bits
  std::uint32_t size = 0;          ///< on the wire
  std::int64_t sent = 0;           ///< when the data packet left its sender
  std::int64_t received = 0;       ///< acknowledgements: bytes or packets received before
  std::uint8_t hop = 0, hops = 0;
  PacketKind kind = PacketKind::data;
  bool marked = false;  ///< congestion experienced; acknowledgements return it
  std::uint16_t entropy = 0;
  bool asks = false;                 ///< for an acknowledgement: its sender may not send more
  std::uint32_t route = 0;           ///< index of its first link in the pool of routes
  std::uint32_t links[kLinks] = {};  ///< of its route after the first, as far as there is room
};
static_assert(sizeof(Packet) == 64);

/// The queues and the state of a link, in one direction.
struct Port {
  double ps_per_byte = 0;
  std::int64_t latency = 0;                         ///< picoseconds
  std::int64_t idle_at = 0;                         ///< end of the current transmission
  std::int64_t waiting = 0;                         ///< bytes of data packets in the queue
  std::uint32_t first[2] = {kNoPacket, kNoPacket};  ///< urgent packets, then data packets
  std::uint32_t last[2] = {kNoPacket, kNoPacket};
  std::uint32_t first_sender = kNoPacket,
                last_sender = kNoPacket;  ///< connections whose turn comes
  std::uint32_t serving = 0;  ///< bytes of the data packet that it sends until `idle_at`
  bool is_switch = false;     ///< of a switch, with its rules for queues
  bool is_waking = false;     ///< an event follows at `idle_at`
  bool is_paused = false;     ///< by the next node
};

/// A link of the network, in one direction.
struct PacketLink {
  double bytes_per_ns = 0;   ///< 0: no route uses it
  std::int64_t latency = 0;  ///< picoseconds
  bool is_switch = false;    ///< a switch sends over it, from a limited queue
};

/// A message between two end points, which differ.
struct PacketPost {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t bytes = 0;
  std::uint32_t token = 0;
};

/// A message, from its sender to its receiver.
struct PacketMessage {
  std::uint64_t first = 0;  ///< number of its first packet in the connection
  std::uint64_t packets = 0;
  std::int64_t bytes = 0;
  std::uint32_t token = 0;
  std::uint32_t next = kNoPacket;  ///< of the connection, or among unused messages
  std::int64_t end = 0;            ///< bytes on the wire of the connection until its end
  std::uint64_t received = 0;      ///< packets
  std::uint64_t arriving = 0;      ///< packets received or on their last link
};

/// All messages from one end point to another, with the window they share.
struct Connection {
  std::uint32_t from = 0, to = 0;
  std::uint32_t forth = 0, back = 0;      ///< index of their routes, by entropy value
  std::uint32_t next_sender = kNoPacket;  ///< in the list of a port
  bool has_turn = false;                  ///< it is in such a list
  std::uint32_t first_message = kNoPacket, last_message = kNoPacket;
  std::uint32_t sending = kNoPacket;    ///< the message of the packet `next`
  std::uint32_t receiving = kNoPacket;  ///< the first message that is not complete
  std::uint64_t next = 0;               ///< number of the next new packet
  std::int64_t in_flight = 0;           ///< bytes sent, and neither acknowledged nor lost
  std::int64_t acknowledged = 0;        ///< bytes
  std::int64_t posted = 0;              ///< bytes on the wire of all messages
  Congestion congestion;
  Spraying spraying;
  std::uint32_t entropy = 0;  ///< of the next packet
  PacketRoute route;          ///< of the next packet
  // The receiver:
  std::int64_t received = 0;    ///< bytes
  std::int64_t unreported = 0;  ///< payload received since the last acknowledgement
};

}  // namespace orrery::model

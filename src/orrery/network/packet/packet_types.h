// SPDX-License-Identifier: Apache-2.0
//
// The plain data of the packet network: packets, ports, messages, connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "orrery/network/packet/congestion.h"
#include "orrery/network/packet/packet_route_pool.h"
#include "orrery/network/packet/spraying.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::model {

inline constexpr std::uint32_t kNoPacket = ~0u;

enum class PacketKind : std::uint8_t {
  data,
  acknowledgement,
  header,        ///< of a data packet that found no room
  negative,      ///< acknowledgement of a header or a gap: the packet must be sent again
  notification,  ///< of congestion, from the receiver (DCQCN)
  credit,        ///< of the receiver
  pause,         ///< of one priority of a link, or its end; for the next node only
};

/// Why a packet was dropped.
enum class PacketDrop : std::uint8_t { no_room, no_headroom, link_down };
inline constexpr std::size_t kPacketDrops = 3;

/// A packet in flight or in a queue. One line of the cache.
struct alignas(64) Packet {
  static constexpr std::uint32_t kLinks = 5;
  std::uint32_t connection = 0;
  std::uint32_t next = kNoPacket;  ///< in a queue, or among unused packets
  std::uint32_t number = 0;        ///< of the data packet in its connection, the lowest 32 bits;
                                   ///< pause: the link
  std::uint32_t size = 0;          ///< on the wire
  std::int64_t sent = 0;           ///< when the data packet left its sender
  /// Acknowledgements: bytes or packets received before. Credit: bytes granted so far. Data: bytes
  /// for which the sender needs credit so far.
  std::int64_t received = 0;
  std::uint16_t hop = 0;
  std::uint16_t hops = 0;  ///< 0: switches choose the route
  std::uint16_t entropy = 0;
  PacketKind kind = PacketKind::data;
  std::uint8_t priority : 3 = 0;
  bool marked : 1 = false;   ///< congestion experienced; acknowledgements return it. Pause: begins
  bool asks : 1 = false;     ///< for an acknowledgement: its sender may not send more
  bool is_held : 1 = false;  ///< its size counts in a shared buffer
  bool in_headroom : 1 = false;  ///< of that, in the headroom
  std::uint32_t route = 0;       ///< index of its first link in the pool of routes
  /// Of its route after the first, as far as there is room. If switches choose: the current link
  /// and the one before.
  std::uint32_t links[kLinks] = {};
};
static_assert(sizeof(Packet) == 64);

/// The packets of one priority that wait at a port.
struct PacketQueue {
  std::uint32_t first = kNoPacket, last = kNoPacket;
  std::uint32_t first_sender = kNoPacket,
                last_sender = kNoPacket;  ///< connections whose turn comes
  std::int64_t waiting = 0;               ///< bytes of data packets
  std::int64_t deficit = 0;               ///< weighted scheduling: bytes it may still send
};

/// The state of a link, in one direction. One line of the cache.
struct alignas(64) Port {
  double ps_per_byte = 0;
  std::int64_t latency = 0;                           ///< picoseconds
  std::int64_t idle_at = 0;                           ///< end of the current transmission
  std::int64_t full = 0;                              ///< time of a full packet
  std::uint32_t first = kNoPacket, last = kNoPacket;  ///< urgent packets
  std::uint32_t serving = 0;     ///< bytes of the data packet that it sends until `idle_at`
  std::uint32_t node = 0;        ///< that sends over it
  std::uint8_t rules = 0;        ///< of its class of links
  std::uint8_t has_packets = 0;  ///< by priority, as bits
  std::uint8_t has_senders = 0;  ///< by priority
  std::uint8_t paused = 0;       ///< by priority, by the next node
  std::uint8_t turn = 0;         ///< weighted scheduling: the priority whose turn it is
  bool is_switch = false;        ///< of a switch, with its rules for queues
  bool is_waking = false;        ///< an event follows at `idle_at`
  bool is_down = false;
};
static_assert(sizeof(Port) == 64);

/// A link of the network, in one direction.
struct PacketLink {
  double bytes_per_ns = 0;            ///< 0: no route uses it
  std::int64_t latency = 0;           ///< picoseconds
  std::uint32_t from = 0, to = 0;     ///< nodes
  std::uint32_t reverse = kNoPacket;  ///< the link from `to` to `from`; kNoPacket: none
  bool is_switch = false;             ///< a switch sends over it, from a limited queue
  platform::LinkClass kind = platform::LinkClass::network;
  std::uint32_t identity = 0;  ///< selects its random numbers
};

/// A message between two end points, which differ.
struct PacketPost {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t bytes = 0;
  std::uint32_t token = 0;
  std::uint8_t priority = 0;
  std::int64_t ideal = 0;  ///< picoseconds without contention, for the record
};

/// A message, from its sender to its receiver.
struct PacketMessage {
  std::uint64_t first = 0;  ///< number of its first packet in the connection
  std::uint64_t packets = 0;
  std::int64_t bytes = 0;
  std::uint32_t token = 0;
  std::uint32_t next = kNoPacket;    ///< of the connection, or among unused messages
  std::int64_t end = 0;              ///< bytes on the wire of the connection until its end
  std::uint64_t received = 0;        ///< packets
  std::uint64_t arriving = 0;        ///< packets received or on their last link
  std::uint32_t record = kNoPacket;  ///< of PacketMonitor; kNoPacket: not recorded
};

/// All messages of one priority from one end point to another, with the window they share.
struct Connection {
  static constexpr std::int64_t kNoTimer = std::numeric_limits<std::int64_t>::max();

  std::uint32_t from = 0, to = 0;
  std::uint32_t to_node = 0;
  std::uint32_t forth = 0, back = 0;      ///< index of their routes, by entropy value
  std::uint32_t next_sender = kNoPacket;  ///< in the list of a port
  std::uint8_t priority = 0;
  std::uint8_t rules = 0;     ///< of the class of links that decides its transport
  bool has_turn = false;      ///< it is in such a list
  bool has_given_up = false;  ///< after too many timeouts
  std::uint32_t first_message = kNoPacket, last_message = kNoPacket;
  std::uint32_t sending = kNoPacket;    ///< the message of the packet `next`
  std::uint32_t receiving = kNoPacket;  ///< the first message that is not complete
  std::uint64_t next = 0;               ///< number of the next new packet
  std::int64_t in_flight = 0;           ///< bytes sent, and neither acknowledged nor lost
  std::int64_t acknowledged = 0;        ///< bytes
  std::int64_t posted = 0;              ///< bytes on the wire of all messages
  std::int64_t sent = 0;                ///< bytes, repeated ones included
  std::int64_t repeated = 0;            ///< bytes sent again, or lost and to be sent again
  std::int64_t credit = 0;              ///< bytes that may be sent until now; if credit is needed
  bool lacked_credit = false;           ///< it could not send without more, at some time
  std::int64_t paced_from = 0;          ///< begin of the last packet, and
  std::int64_t paced_bytes = 0;         ///< its size
  std::int64_t pace_timer = kNoTimer;   ///< time of the next event that lets it send
  std::uint32_t timeouts = 0;           ///< in a row
  std::int64_t timeout = 0;             ///< the next one
  std::uint32_t entropy = 0;            ///< of the next packet
  PacketRoute route;                    ///< of the next packet
  Congestion congestion;
  Spraying spraying;
  // The receiver:
  std::int64_t received = 0;      ///< bytes
  std::int64_t unreported = 0;    ///< payload received since the last acknowledgement
  std::int64_t received_at = 0;   ///< time of the last packet that is not acknowledged, and
  std::uint16_t received_by = 0;  ///< its entropy value
  bool has_flush = false;         ///< an event follows that acknowledges it
  std::int64_t demand = 0;        ///< bytes for which the sender needs credit
  std::int64_t granted = 0;       ///< of these
  std::int64_t notified_at = -1;  ///< time of the last notification of congestion; -1: none
  std::uint64_t reported_gap = ~std::uint64_t{0};  ///< the missing packet reported last
  bool waits_for_credit = false;                   ///< in the list of its receiver
};

}  // namespace orrery::model

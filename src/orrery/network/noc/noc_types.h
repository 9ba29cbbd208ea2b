// SPDX-License-Identifier: Apache-2.0
//
// The plain data of the network of flits.
#pragma once

#include <cstdint>

namespace orrery::noc {

inline constexpr std::uint32_t kNone = ~0u;

/// a / b, rounded up, of numbers that are not negative.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// A flit in a buffer or on a link.
struct Flit {
  std::uint32_t packet = 0;  ///< index in the table of packets
  std::uint32_t number : 30 = 0;
  std::uint32_t head : 1 = 0;
  std::uint32_t tail : 1 = 0;
};
static_assert(sizeof(Flit) == 8);

/// A packet, from its creation until its last flit has left the network. Times are picoseconds.
struct Packet {
  std::uint32_t source = 0, destination = 0;  ///< nodes
  std::uint32_t size = 1;                     ///< flits
  std::uint32_t tag = 0;                      ///< of the sender
  std::int64_t payload = 0;                   ///< bytes; only reports use them
  std::int64_t created = 0;
  std::int64_t injected = 0;   ///< when the head left the source
  std::uint64_t key = 0;       ///< random, of its routes
  std::uint32_t middle = 0;    ///< Valiant's router
  std::uint32_t next = kNone;  ///< in the queue of its source, or among unused packets
  std::uint32_t received = 0;  ///< flits that have left the network
  std::uint16_t hops = 0;      ///< routers
  bool second_phase = false;   ///< Valiant: it has passed `middle`
  std::uint8_t ring = 0;       ///< class of channels in the current ring
  bool reversed = false;       ///< dimensions from the last to the first
};

/// A packet that has crossed a link.
struct LinkPass {
  std::uint32_t link = 0;
  std::int64_t payload = 0;  ///< bytes
  std::int64_t from = 0, until = 0;
};

/// A packet whose last flit has arrived at its destination.
struct Delivery {
  Packet packet;
  std::int64_t time = 0;
};

/// An output port and the channels that a packet may use there, as bits.
struct RouteChoice {
  std::uint32_t port = 0;
  std::uint32_t channels = 0;
};

/// The outputs that a packet may use next.
struct RouteSet {
  static constexpr std::uint32_t kMost = 5;
  std::uint32_t count = 0;
  RouteChoice choices[kMost];

  void add(std::uint32_t port, std::uint32_t channels) {
    if (channels != 0 && count < kMost) choices[count++] = {port, channels};
  }
};

}  // namespace orrery::noc

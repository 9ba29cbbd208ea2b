// SPDX-License-Identifier: Apache-2.0
//
// Packets, their transport and the queues of switches, for the packet network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// How a sender limits the packets that it has in flight.
enum class PacketTransport : std::uint8_t {
  window,  ///< a constant number of bytes for each pair of end points
  dctcp,   ///< a window that follows the share of marked packets
  swift,   ///< a window that follows the delay of packets
  nscc,    ///< Ultra Ethernet: a window that follows marks and the delay of packets
};

/// How a packet chooses among the shortest routes, if the fabric's policy is `spray`.
enum class PacketSpraying : std::uint8_t {
  oblivious,  ///< entropy values in an order that the seed chooses
  bitmap,     ///< as oblivious, but skips values whose last packet was marked or trimmed
  reps,       ///< reuses the values of acknowledged packets without a mark
  mixed,      ///< as bitmap, and reuses values as reps after the first window
};

/// How the packets of a sender's messages enter its port.
enum class PacketPosting : std::uint8_t {
  turns,  ///< messages to several receivers take turns, packet by packet; acknowledgements go first
  fifo,   ///< all that the window allows at once, in one queue with the acknowledgements
};

/// The queues of the ports of switches. Sizes are bytes on the wire.
struct PacketQueues {
  std::optional<LinkClass> links;  ///< empty: links of all classes
  Bytes size{};                    ///< of the queue of one port; 0: unlimited
  Bytes shared{};                  ///< buffer that the ports of a switch share; 0: unlimited
  double alpha = 1;  ///< a port's queue is at most this share of the free part of `shared`
  bool trims = false;              ///< a packet that finds no room continues as its header
  Bytes mark_from{}, mark_to{};    ///< marks none below, all above; both 0: marks none
  double mark_probability = 1;     ///< of marks at `mark_to`
  bool pauses = false;             ///< priority flow control: a full queue stops its senders
  Bytes pause_from{}, resume_at{};  ///< of the bytes that came over one link

  friend bool operator==(const PacketQueues&, const PacketQueues&) = default;
};

struct PacketSettings {
  std::optional<Bytes> payload;  ///< of a packet; empty: the fabric's, else 4 KiB
  std::optional<Bytes> header;   ///< empty: the fabric's, else 62 B
  Bytes acknowledgement{62};
  Bytes acknowledge_every{};  ///< received payload per acknowledgement; 0: every packet
  PacketTransport transport = PacketTransport::window;
  std::int64_t window = 64;  ///< packets; 0: unlimited
  PacketPosting posting = PacketPosting::turns;
  PacketSpraying spraying = PacketSpraying::oblivious;
  std::int64_t entropies = 64;  ///< number of entropy values
  std::int64_t seed = 1;
  Time base_rtt{};    ///< of nscc and swift; 0: of the longest route
  Time min_timeout = us(100);  ///< until unacknowledged packets are sent again
  std::vector<PacketQueues> queues;  ///< the first that matches the class of a link applies

  friend bool operator==(const PacketSettings&, const PacketSettings&) = default;
};

}  // namespace orrery::platform

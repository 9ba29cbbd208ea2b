// SPDX-License-Identifier: Apache-2.0
//
// Buffers that the ports of a switch share, and the credit of receivers: plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace orrery::model {

/// Packets of one priority that came over one link and wait in the buffer of its end.
struct HeldPackets {
  std::int64_t shared = 0;      ///< bytes in the shared buffer
  std::int64_t headroom = 0;    ///< bytes in the headroom
  bool is_paused = false;       ///< a pause was sent to the sender
  std::uint32_t congested = 0;  ///< the port whose queue caused the last pause, see PauseSpread
};

/// A port was not paused, and the packets that waited for it made its node pause others. These made
/// further switches pause others, because packets waited for paused ports.
struct PauseSpread {
  std::uint32_t port = 0;
  std::int64_t since = 0;                 ///< when the first further switch sent a pause
  std::vector<std::uint32_t> switches{};  ///< further ones, ascending
};

/// The shared buffers of all nodes. A queue, or with priority flow control the packets from one
/// link, may use `share` of the bytes that are free (dynamic threshold). Source: Choudhury and
/// Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM ToN 6(2),
/// 1998.
struct SharedBuffers {
  std::int64_t size = 0;  ///< of each; 0: nothing is shared
  double share = 0;
  bool pauses = false;                     ///< some links use priority flow control
  std::vector<std::int64_t> used;          ///< by node
  std::vector<HeldPackets> held;           ///< by link and priority, if it pauses
  std::vector<std::int64_t> headroom;      ///< by link
  std::vector<std::int64_t> changes;       ///< by link: faults that began or ended
  std::vector<std::int64_t> paused_since;  ///< by link, while it is paused
  std::vector<PauseSpread> spreads;        ///< by time of their begin
};

/// What a data packet says of the credit its sender needs, in quanta of 256 B: bytes that it has
/// sent so far, and bytes that it still has to send.
inline constexpr std::int64_t kCreditQuantum = 256;
[[nodiscard]] constexpr std::int64_t credit_request(std::int64_t sent, std::int64_t backlog) {
  const auto quanta = [](std::int64_t bytes) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes) + kCreditQuantum - 1) /
           kCreditQuantum;
  };
  return static_cast<std::int64_t>(std::min<std::uint64_t>(quanta(backlog), 0x7FFFFFFF) << 32 |
                                   (quanta(sent) & 0xFFFFFFFF));
}
[[nodiscard]] constexpr std::int64_t backlog_of(std::int64_t request) {
  return (request >> 32) * kCreditQuantum;
}
/// `near`: a number of bytes within 500 GB.
[[nodiscard]] constexpr std::int64_t sent_of(std::int64_t request, std::int64_t near) {
  const std::int64_t quanta = near / kCreditQuantum;
  const auto difference = static_cast<std::int32_t>(static_cast<std::uint32_t>(request) -
                                                    static_cast<std::uint32_t>(quanta));
  return (quanta + difference) * kCreditQuantum;
}

/// The credit that an end point grants to its senders, in turn.
struct CreditPacer {
  std::deque<std::uint32_t> waiting;  ///< connections
  std::int64_t next = 0;              ///< time of the next credit
  bool is_active = false;             ///< an event follows
};

}  // namespace orrery::model

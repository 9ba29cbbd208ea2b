// SPDX-License-Identifier: Apache-2.0
//
// Communications of a recorded job, each once: which rank arrived last, and by how much.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "orrery/intake/job/job.h"

namespace orrery::intake {

/// A communication on one rank: job.comms[place][use].
struct CommParticipant {
  std::uint32_t place = 0;
  std::uint32_t use = 0;
  Time start{};  ///< on the common clock
  Time end{};
};

/// Whether the arrivals of a communication are comparable.
enum class ArrivalState : std::uint8_t {
  known,
  alone,       ///< no other rank with this communication is recorded
  unmatched,   ///< another rank lacks it
  unrelated,   ///< no collective relates the clocks of its ranks
  impossible,  ///< by the clocks, a rank finished before the last one arrived
};

/// Their names, in order.
inline constexpr std::array<std::string_view, 5> kArrivalStates{"known", "alone", "unmatched",
                                                                "unrelated", "impossible"};

/// A collective, or a message: a send and its receive.
struct CommArrivals {
  profile::CommKind kind = profile::CommKind::unknown;  ///< of messages: send
  std::uint32_t group = 0;                              ///< in Job::groups
  std::uint32_t sequence = 0;                           ///< its number in the group
  ArrivalState state = ArrivalState::alone;
  std::vector<CommParticipant> ranks;  ///< ascending by place
  std::uint32_t last = 0;              ///< in `ranks`: arrived last; with ArrivalState::known
  Time skew{};                         ///< last minus first arrival; with ArrivalState::known
  /// The shortest time on a rank. The last rank to arrive waits for none, so this is the time of
  /// the transfer; it does not depend on clocks.
  Time transfer{};
  Time end_spread{};  ///< last minus first end: also how far the clocks disagree

  [[nodiscard]] Time first_arrival() const;
};

/// All communications except for waits and messages that another communication executes
/// (JobComm::queued), by group and number. O(n log n) for n communications of all ranks.
[[nodiscard]] std::vector<CommArrivals> comm_arrivals(const Job& job);

}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
//
// Communications of a recorded job, each once: which rank arrived last, and by how much.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/intake/job/job.h"

namespace orrery::study {

/// A communication on one rank: job.comms[place][use].
struct Participant {
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

/// A collective, or a message: a send and its receive.
struct CommArrivals {
  profile::CommKind kind = profile::CommKind::unknown;  ///< of messages: send
  std::uint32_t group = 0;                              ///< in Job::groups
  std::uint32_t sequence = 0;                           ///< its number in the group
  ArrivalState state = ArrivalState::alone;
  std::vector<Participant> ranks;  ///< ascending by place
  std::uint32_t last = 0;          ///< in `ranks`: arrived last; with ArrivalState::known
  Time skew{};                     ///< last minus first arrival; with ArrivalState::known
  /// The shortest time on a rank. The last rank to arrive waits for none, so this is the time of
  /// the transfer; it does not depend on clocks.
  Time transfer{};
  Time end_spread{};  ///< last minus first end: also how far the clocks disagree

  [[nodiscard]] Time first_arrival() const;
};

/// All communications except for waits and messages that another communication executes
/// (JobComm::queued), by group and number. O(n log n) for n communications of all ranks.
[[nodiscard]] std::vector<CommArrivals> comm_arrivals(const intake::Job& job);

}  // namespace orrery::study

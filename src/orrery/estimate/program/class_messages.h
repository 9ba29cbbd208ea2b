// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace orrery::estimate {

/// What players have told each other.
struct ClassMessages {
  /// When messages are there, until they are heard.
  std::unordered_map<std::uint64_t, std::int64_t> messages;
  /// Collectives in which several meet: who has come, and when the last did; by axis, group, turn.
  struct CollectiveMeeting {
    std::uint32_t come = 0;
    std::int64_t last = 0;
  };
  std::unordered_map<std::uint64_t, CollectiveMeeting> meetings;

  /// Between stages, by edge and microbatch.
  static std::uint64_t message(std::uint64_t receiver, std::uint32_t edge, std::uint32_t batch) {
    return receiver << 40 | std::uint64_t{edge} << 32 | batch;
  }
  /// Inside of a stage messages match in order.
  static std::uint64_t message_inside(std::uint64_t sender, std::uint64_t receiver,
                                      std::uint32_t turn) {
    return std::uint64_t{1} << 63 | sender << 44 | receiver << 25 | turn;
  }
};

}  // namespace orrery::estimate

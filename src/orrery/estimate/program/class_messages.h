// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace orrery::estimate {

/// Messages and collectives between rank classes.
struct ClassMessages {
  /// Arrival times of messages that are not yet received.
  std::unordered_map<std::uint64_t, std::int64_t> messages;
  /// Collectives of several rank classes: number of arrived classes and time of the last arrival;
  /// by axis, group and turn.
  struct CollectiveArrivals {
    std::uint32_t arrived = 0;
    std::int64_t last_arrival = 0;
  };
  std::unordered_map<std::uint64_t, CollectiveArrivals> collectives;

  /// Key of a message between stages, by edge and microbatch.
  static std::uint64_t pipeline_message(std::uint64_t receiver, std::uint32_t edge,
                                        std::uint32_t batch) {
    return receiver << 40 | std::uint64_t{edge} << 32 | batch;
  }
  /// Key of a message within a stage; these match in order.
  static std::uint64_t stage_message(std::uint64_t sender, std::uint64_t receiver,
                                     std::uint32_t turn) {
    return std::uint64_t{1} << 63 | sender << 44 | receiver << 25 | turn;
  }
};

}  // namespace orrery::estimate

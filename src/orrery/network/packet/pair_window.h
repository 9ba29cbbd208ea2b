// SPDX-License-Identifier: Apache-2.0
//
// The window of a pair of end points that no setting states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace orrery::model {

/// What one round trip takes at the rate of the sender's link, so that the window alone slows no
/// pair down; at least 64 packets. Bytes on the wire. `round_trip`: picoseconds, without
/// contention. `packet`: bytes of a full packet.
[[nodiscard]] inline std::int64_t round_trip_window(std::int64_t round_trip, double bytes_per_ps,
                                                    std::int64_t packet) {
  const double trip =
      std::ceil(static_cast<double>(round_trip) * bytes_per_ps / static_cast<double>(packet));
  return packet * std::max<std::int64_t>(64, static_cast<std::int64_t>(std::min(trip, 1e9)));
}

}  // namespace orrery::model

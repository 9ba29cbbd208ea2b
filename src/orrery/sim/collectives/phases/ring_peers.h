// SPDX-License-Identifier: Apache-2.0
//
// Which representatives run a phase together if ranks play several members.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// The representatives of a communicator, grouped by rings of one shape. A representative is a
/// simulated rank that acts for one or more members. Players in one ring end a phase only when all
/// of them have begun it. Equivalent ranks are in equivalent rings, so each representative is in
/// exactly one set.
struct RingPeers {
  std::vector<std::uint32_t> leader;  ///< by representative: the lowest representative of its set
  std::vector<std::vector<std::uint32_t>> sets;  ///< by leader: the set, ascending
};

class RingPeersCache {
 public:
  /// O(members of the representatives' rings), once per communicator and shape of ring.
  [[nodiscard]] const RingPeers& of(std::uint32_t communicator, const Communicator& group,
                                    const model::RingShape& ring);

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, RingPeers> known_;
};

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// Who goes through a phase together where ranks play several members.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/sim/engine/state/run_state.h"

namespace orrery::sim {

/// The players of a communicator by rings of one shape. Those that stand in one ring end a phase
/// only when all of them have begun it; ranks that are alike see alike rings, so each player is in
/// one such set.
struct RingPeers {
  std::vector<std::uint32_t> leader;                 ///< by player: the lowest of its set
  std::vector<std::vector<std::uint32_t>> together;  ///< by leader: the set, ascending
};

class RingPeersCache {
 public:
  /// O(members of the rings that players stand in), once for each communicator and shape of ring.
  [[nodiscard]] const RingPeers& of(std::uint32_t communicator, const Communicator& group,
                                    const model::RingShape& ring);

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, RingPeers> known_;
};

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// Who begins when, where switches do only so many collectives at once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/sim/engine/state/chunk_state.h"

namespace orrery::sim {

/// A phase takes a stream of every switch of its tree, all at once or none, and gives them back
/// when it ends. First come, first served: who waits keeps a place at each of its switches, so that
/// nobody who came later passes at one of them. Whoever is first waits only for those that run, and
/// these end by themselves: there is no deadlock.
class SwitchStreams {
 public:
  struct Asked {
    std::int64_t since = 0;      ///< when the last of its members came; …
    ChunkOrder order;            ///< … at one time by this, …
    std::uint32_t communicator;  ///< … and these
    std::uint32_t base = 0;
    std::uint32_t number = 0;  ///< what whoever asks calls it
    const model::SwitchTree* tree = nullptr;
  };

  /// Comes to stand in line.
  void ask(const Asked& one);
  /// Those that begin now, in order; they have their streams. To be asked when a tick is over.
  /// O(those that wait × switches of their trees).
  [[nodiscard]] std::vector<std::uint32_t> admit();
  void leave(const model::SwitchTree& tree);

 private:
  std::vector<Asked> line_;                        // in order
  std::map<model::EndPoint, std::uint32_t> busy_;  // streams by switch
  bool unsettled_ = false;
};

}  // namespace orrery::sim

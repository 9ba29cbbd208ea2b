// SPDX-License-Identifier: Apache-2.0
//
// Schedules phases on switches with a limited number of concurrent collectives.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "orrery/model/collective/algorithms/switch_tree.h"
#include "orrery/sim/engine/state/chunk_state.h"

namespace orrery::sim {

/// A phase acquires one stream of every switch of its tree, all at once or none, and releases them
/// when it ends. First come, first served: a waiting phase is in the queue of each of its switches,
/// so that no later phase overtakes it at any of them. The first phase in the queues waits only for
/// running phases, which always end: there is no deadlock.
class SwitchStreams {
 public:
  struct Request {
    std::int64_t since = 0;          ///< arrival of the last of its members; …
    ChunkOrder order;                ///< … ties: this order, …
    std::uint32_t communicator = 0;  ///< … then communicator and base
    std::uint32_t base = 0;
    std::uint32_t number = 0;  ///< number that admit() returns
    const model::SwitchTree* tree = nullptr;

    /// The state, for checkpoints, without the tree.
    static auto fields(auto& self) {
      auto& [since, order, communicator, base, number, tree] = self;
      return std::tie(since, order, communicator, base, number);
    }
  };
  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [waiting, busy, unsettled] = self;
    return std::tie(waiting, busy, unsettled);
  }
  /// Sets the trees of requests that were read from a checkpoint; `tree_of` is by number.
  template <class TreeOf>
  void set_trees(const TreeOf& tree_of) {
    for (Request& one : waiting_) one.tree = tree_of(one.number);
  }

  /// Adds a request to the queues.
  void request(const Request& one);
  /// Numbers of the requests that begin now, in order; they have acquired their streams. Call it at
  /// the end of a tick. O(waiting requests × switches of their trees).
  [[nodiscard]] std::vector<std::uint32_t> admit();
  void release(const model::SwitchTree& tree);

 private:
  std::vector<Request> waiting_;                   // in order
  std::map<model::EndPoint, std::uint32_t> busy_;  // streams by switch
  bool unsettled_ = false;
};

}  // namespace orrery::sim

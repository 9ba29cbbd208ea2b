// SPDX-License-Identifier: Apache-2.0
//
// The ranks that the engine simulates: those of a workload, or one representative for each class.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/state/communicators.h"
#include "orrery/sim/shortcuts/folding/folding.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// The simulated ranks, numbered from 0: either all ranks of a workload, under their own numbers,
/// or one representative of each class of equivalent ranks. A simulated rank represents `weight`
/// ranks and runs as one of them, `real`; it stands for all equivalent members of a communicator
/// (Communicator::representative). Running the folded workload gives the same result as running the
/// complete one (see fold()).
class FoldedWorkload {
 public:
  /// Every rank represents itself.
  FoldedWorkload() = default;
  explicit FoldedWorkload(std::uint32_t ranks) : ranks_(ranks) {}
  /// One simulated rank for each class. Sets the representatives of `communicators`. O(members of
  /// the communicators that represent themselves).
  FoldedWorkload(Folding folding, Communicators& communicators);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  /// Whether any rank represents others.
  [[nodiscard]] bool is_folded() const { return !folding_.class_of.empty(); }

  /// The rank's number in the workload: the lowest of the ranks that it represents.
  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const {
    return is_folded() ? folding_.representative[rank] : rank;
  }
  [[nodiscard]] std::uint32_t weight(std::uint32_t rank) const {
    return is_folded() ? folding_.members[rank] : 1;
  }
  /// The simulated rank that represents a rank of the workload.
  [[nodiscard]] std::uint32_t rank_for(std::uint32_t real) const {
    return is_folded() ? folding_.class_of[real] : real;
  }
  /// The communicator that represents a communicator of the workload.
  [[nodiscard]] std::uint32_t communicator(std::uint32_t number) const {
    return is_folded() ? folding_.representative_group[number] : number;
  }
  /// The route of a message from the rank to `peer`, a rank of the workload. The result contains
  /// ranks of the workload: the receiver is a simulated one, and the source is the sender as the
  /// receiver names it.
  [[nodiscard]] FoldedRoute route(std::uint32_t rank, std::uint32_t peer) const {
    return is_folded() ? find_route(rank, peer) : FoldedRoute{peer, rank, peer};
  }
  /// rank_for() by rank of the workload. Empty: every rank represents itself.
  [[nodiscard]] const std::vector<std::uint32_t>& class_of() const& { return folding_.class_of; }
  [[nodiscard]] std::vector<std::uint32_t> class_of() && { return std::move(folding_.class_of); }
  /// weight() by simulated rank. Empty: every rank represents itself.
  [[nodiscard]] const std::vector<std::uint32_t>& weights() const { return folding_.members; }
  /// Links that represent others; empty: none does.
  [[nodiscard]] const model::EquivalentLinks& links() const { return folding_.links; }

 private:
  [[nodiscard]] FoldedRoute find_route(std::uint32_t rank, std::uint32_t peer) const;

  std::uint32_t ranks_ = 0;
  Folding folding_;  // empty: every rank represents itself
};

/// The smallest folded workload that represents the workload under these options. If it is the
/// workload itself, sets unfolded_reason and inexact_representatives of `savings`. Errors as
/// fold().
[[nodiscard]] Result<FoldedWorkload> fold_workload(const graph::Workload& workload,
                                                   const platform::Platform& platform,
                                                   const model::MultiDimFabric& fabric,
                                                   const model::Network& network,
                                                   const Options& options, const LinkHints& hints,
                                                   Communicators& communicators,
                                                   CollectivePlanner& planner, Savings& savings);

/// The number of representatives of the same run without a recording, if only the recording prevents
/// folding and if that number is certain; else 0. Errors as fold().
[[nodiscard]] Result<std::uint32_t> unrecorded_representatives(
    const graph::Workload& workload, const platform::Platform& platform,
    const model::MultiDimFabric& fabric, const model::Network& network, Options options,
    const Communicators& communicators, CollectivePlanner& planner);

}  // namespace orrery::sim

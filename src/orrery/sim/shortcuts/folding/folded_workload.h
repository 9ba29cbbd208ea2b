// SPDX-License-Identifier: Apache-2.0
//
// What the engine runs: a workload, or a smaller one that stands for it.
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

/// The ranks that are simulated, with numbers of their own from 0 on: all of a workload, under the
/// numbers that they have there, or one for all that are alike. A rank stands for `weight` ranks,
/// and is run as one of them, `real`; it plays all members of a communicator that are like it
/// (Communicator::player). Whoever runs the quotient of a workload by what is alike comes to what
/// the workload comes to (see fold()).
class FoldedWorkload {
 public:
  /// Every rank for itself.
  FoldedWorkload() = default;
  explicit FoldedWorkload(std::uint32_t ranks) : ranks_(ranks) {}
  /// A rank for each class. `communicators` learn who plays their members. O(members of those that
  /// stand for themselves).
  FoldedWorkload(Folding folding, Communicators& communicators);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  /// Whether any rank stands for others.
  [[nodiscard]] bool smaller() const { return !class_of_.empty(); }

  /// What the workload calls the rank: the lowest of those that it stands for.
  [[nodiscard]] std::uint32_t real(std::uint32_t rank) const {
    return smaller() ? real_[rank] : rank;
  }
  [[nodiscard]] std::uint32_t weight(std::uint32_t rank) const {
    return smaller() ? weights_[rank] : 1;
  }
  /// Who is simulated for a rank of the workload.
  [[nodiscard]] std::uint32_t rank_for(std::uint32_t real) const {
    return smaller() ? class_of_[real] : real;
  }
  /// The communicator that stands for one of the workload's.
  [[nodiscard]] std::uint32_t communicator(std::uint32_t number) const {
    return smaller() ? representative_group_[number] : number;
  }
  /// Between whom a message from the rank to `peer`, a rank of the workload that it names, is. Real
  /// ranks: the receiver is one that is simulated, and knows the sender as the source.
  [[nodiscard]] FoldedRoute route(std::uint32_t rank, std::uint32_t peer) const {
    return smaller() ? find_route(rank, peer) : FoldedRoute{peer, rank, peer};
  }
  /// By rank of the workload: rank_for(). Empty: every rank for itself.
  [[nodiscard]] const std::vector<std::uint32_t>& class_of() const& { return class_of_; }
  [[nodiscard]] std::vector<std::uint32_t> class_of() && { return std::move(class_of_); }
  /// By rank: weight(). Empty likewise.
  [[nodiscard]] const std::vector<std::uint32_t>& weights() const { return weights_; }
  /// Links that stand for others; empty: none does.
  [[nodiscard]] const model::EquivalentLinks& links() const { return links_; }

 private:
  [[nodiscard]] FoldedRoute find_route(std::uint32_t rank, std::uint32_t peer) const;

  std::uint32_t ranks_ = 0;
  std::vector<std::uint32_t> class_of_, real_, weights_, representative_group_;
  std::vector<FoldedRoute> routes_;
  std::vector<std::size_t> first_route_;
  model::EquivalentLinks links_;
};

/// The smallest that may stand for the workload under these options. `why_not`: why it is the
/// workload itself. Errors as fold().
[[nodiscard]] Result<FoldedWorkload> fold_workload(
    const graph::Workload& workload, const platform::Platform& platform,
    const model::MultiDimFabric& fabric, const model::Network& network, const Options& options,
    Communicators& communicators, CollectivePlanner& planner, std::string& why_not);

}  // namespace orrery::sim

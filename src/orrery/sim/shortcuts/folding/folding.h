// SPDX-License-Identifier: Apache-2.0
//
// Which ranks are alike: one is simulated for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/network/dimensions/multi_dim_fabric.h"
#include "orrery/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/state/communicators.h"

namespace orrery::sim {

/// A message to a rank of the workload that a simulated one names, and between whom it is where the
/// receiver is simulated for all that are like it. Ranks of the workload.
struct FoldedRoute {
  std::uint32_t peer = 0;  ///< as the sender names it
  std::uint32_t src = 0;   ///< as the receiver names the sender; beyond all ranks: it never does
  std::uint32_t dst = 0;   ///< who is simulated for `peer`
};

/// Classes of ranks that do the same at the same times, and of communicators that look the same
/// from within.
struct Folding {
  std::vector<std::uint32_t> class_of;        ///< by rank
  std::vector<std::uint32_t> representative;  ///< by class: its lowest rank; ascending
  std::vector<std::uint32_t> members;         ///< by class: how many ranks
  /// By communicator: which of those like it stands for all, the one that takes precedence. Two are
  /// alike when they hold as many members of each class, and members of one class stand alike in
  /// both.
  std::vector<std::uint32_t> representative_group;
  std::vector<FoldedRoute> routes;       ///< by class and peer, of who represents it; ascending
  std::vector<std::size_t> first_route;  ///< by class, and the end
  model::EquivalentLinks links;          ///< where ranks share links
  std::string why_not;  ///< why every rank is a class of its own; empty: they were compared

  [[nodiscard]] std::size_t classes() const { return representative.size(); }
};

/// The coarsest partition of the ranks that is stable: ranks of one class have graphs of one shape
/// (equal but for whom they name), devices and ports that deviate alike, send and receive to ranks
/// of equal classes at equal distances by messages that mean each other, and stand in groups where
/// every step of every algorithm comes from and goes to a member of an equal class at an equal
/// distance. Then one rank of each class behaves as all of them do, whichever it is (Boldi and
/// Vigna, "Fibrations of graphs", Discrete Mathematics 243, 2002, section 4: what a deterministic
/// network computes is constant on the fibres of a fibration).
///
/// Where messages share links that belong to no rank, links are sorted with the ranks
/// (link_classes.h).
///
/// Colour refinement to a fixed point: O(ranks × (peers + groups + members × steps where a group's
/// members are not all alike) × rounds), and there O(messages × links × rounds). Where ranks share
/// what is served in order of arrival (links of a network that is not foldable, a memory pool) they
/// are not compared: `why_not` says so.
[[nodiscard]] Result<Folding> fold(const graph::Workload& workload,
                                   const platform::Platform& platform,
                                   const model::MultiDimFabric& fabric,
                                   const model::Network& network,
                                   const Communicators& communicators, CollectivePlanner& planner);

/// The same where it can be seen at once: one graph for all ranks, which talks to all ranks only,
/// on a machine that has no place unlike another. Empty: look closer. O(nodes), and O(ranks) to say
/// so.
[[nodiscard]] std::optional<Folding> fold_uniform(const graph::Workload& workload,
                                                  const platform::Platform& platform,
                                                  const Communicators& communicators);

/// Every rank for itself.
[[nodiscard]] Folding unfolded(std::uint32_t ranks, const Communicators& communicators,
                               std::string why_not);

}  // namespace orrery::sim

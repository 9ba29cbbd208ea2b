// SPDX-License-Identifier: Apache-2.0
//
// Finds classes of equivalent ranks: one rank of each class is simulated for all of them.
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

/// The route of a message from a simulated rank to a rank of the workload, if the receiver is the
/// representative of its class. All numbers are ranks of the workload.
struct FoldedRoute {
  std::uint32_t peer = 0;  ///< receiver, as the sender names it
  std::uint32_t src = 0;   ///< sender, as the receiver names it; beyond all ranks: never
  std::uint32_t dst = 0;   ///< representative of `peer`
};

/// Classes of ranks with the same behavior at the same times, and of communicators with the same
/// structure.
struct Folding {
  std::vector<std::uint32_t> class_of;        ///< by rank
  std::vector<std::uint32_t> representative;  ///< by class: its lowest rank; ascending
  std::vector<std::uint32_t> members;         ///< by class: number of ranks
  /// By communicator: the communicator that represents its class, the one that takes precedence.
  /// Two communicators are equivalent if both contain the same number of members of each class, and
  /// members of one class have equivalent positions in both.
  std::vector<std::uint32_t> representative_group;
  std::vector<FoldedRoute> routes;       ///< by class and peer of its representative; ascending
  std::vector<std::size_t> first_route;  ///< by class, and the end
  model::EquivalentLinks links;          ///< if ranks share links
  std::string why_not;  ///< why every rank is its own class; empty: ranks were compared
  /// Number of classes if messages shared no links, in case shared links make every rank its own
  /// class; else 0.
  std::uint32_t classes_without_links = 0;

  [[nodiscard]] std::size_t classes() const { return representative.size(); }
};

/// What a folded run has shown about links: the next attempt takes it into account.
struct LinkHints {
  bool compare = false;       ///< messages cross several links: compare links, not ports
  bool all_ordered = false;   ///< as if all links were `ordered`
  std::vector<bool> ordered;  ///< by link: see SenderOrder; empty: none

  [[nodiscard]] bool empty() const { return !compare && !all_ordered && ordered.empty(); }
  /// Adds those of another run. Returns whether any of them is new.
  bool add(const LinkHints& more);
};

/// The coarsest stable partition of the ranks. Ranks of one class have graphs of one shape (equal
/// up to the names of peers), and devices and ports with equal deviations. They exchange matching
/// messages with ranks of equal classes at equal distances. In their groups, every step of every
/// algorithm connects members of equal classes at equal distances. Then any rank of a class behaves
/// as all of them do (Boldi and Vigna, "Fibrations of graphs", Discrete Mathematics 243, 2002,
/// section 4: what a deterministic network computes is constant on the fibres of a fibration).
///
/// With congestion, ranks of a class are equivalent if their ports carry the same messages at the
/// same times. Each class of senders names each class of receivers in pairs: the peer at index i of
/// a sender has that sender at one index of its own list. So the n senders and the m receivers of a
/// kind of message are a regular bipartite graph, and each receiver gets n / m of these messages.
/// This needs a receive for every message. Max-min fair rates depend only on the loads of ports
/// (network/folded_ports.h), so all ports of a class have the same load at all times.
///
/// With `by_dimension`, equivalent ranks also send equally many bytes into each dimension: their
/// peers differ from them in the same dimensions. Times do not require it, recordings of ports do.
///
/// If messages share links that belong to no rank, links are classified together with the ranks
/// (link_classes.h), and so are links that serve messages in order of arrival (sender_order.h).
///
/// Color refinement to a fixed point: O(ranks × (peers + groups + members × steps, for groups with
/// members of different classes) × rounds), plus O(messages × links × rounds) for shared links. If
/// ranks share a resource that serves in order of arrival (a memory pool) or routes that depend on
/// loads, they are not compared; `why_not` contains the reason.
[[nodiscard]] Result<Folding> fold(const graph::Workload& workload,
                                   const platform::Platform& platform,
                                   const model::MultiDimFabric& fabric,
                                   const model::Network& network,
                                   const Communicators& communicators, CollectivePlanner& planner,
                                   bool by_dimension = false, const LinkHints& hints = {});

/// The same for a simple case: all ranks have one graph, which communicates with all ranks only, on
/// a machine whose ranks have equivalent positions. Empty: use fold(). O(nodes), plus O(ranks) for
/// the result.
[[nodiscard]] std::optional<Folding> fold_uniform(const graph::Workload& workload,
                                                  const platform::Platform& platform,
                                                  const Communicators& communicators);

/// Every rank is its own class.
[[nodiscard]] Folding unfolded(std::uint32_t ranks, const Communicators& communicators,
                               std::string why_not);

}  // namespace orrery::sim

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
#include "orrery/model/network/fabric.h"
#include "orrery/model/network/network.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/communicators.h"
#include "orrery/sim/folding.h"
#include "orrery/sim/planner.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// The ranks that are simulated, with numbers of their own from 0 on: all of a workload, under the
/// numbers that they have there, or one for all that are alike. A rank stands for `weight` ranks,
/// and is run as one of them, `real`; it plays all members of a communicator that are like it
/// (Communicator::player). Whoever runs the quotient of a workload by what is alike comes to what
/// the workload comes to (see fold()).
class Quotient {
 public:
  /// Every rank for itself.
  Quotient() = default;
  explicit Quotient(std::uint32_t ranks) : ranks_(ranks) {}
  /// A rank for each class. `communicators` learn who plays their members. O(members of those that
  /// stand for themselves).
  Quotient(Folding folding, Communicators& communicators);

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
    return smaller() ? group_like_[number] : number;
  }
  /// Between whom a message from the rank to `peer`, a rank of the workload that it names, is. Real
  /// ranks: the receiver is one that is simulated, and knows the sender as the source.
  [[nodiscard]] Route route(std::uint32_t rank, std::uint32_t peer) const {
    return smaller() ? find_route(rank, peer) : Route{peer, rank, peer};
  }
  /// By rank of the workload: rank_for(). Empty: every rank for itself.
  [[nodiscard]] const std::vector<std::uint32_t>& class_of() const& { return class_of_; }
  [[nodiscard]] std::vector<std::uint32_t> class_of() && { return std::move(class_of_); }
  /// By rank: weight(). Empty likewise.
  [[nodiscard]] const std::vector<std::uint32_t>& weights() const { return weights_; }
  /// Links that stand for others; empty: none does.
  [[nodiscard]] const model::AlikeLinks& links() const { return links_; }

 private:
  [[nodiscard]] Route find_route(std::uint32_t rank, std::uint32_t peer) const;

  std::uint32_t ranks_ = 0;
  std::vector<std::uint32_t> class_of_, real_, weights_, group_like_;
  std::vector<Route> routes_;
  std::vector<std::size_t> first_route_;
  model::AlikeLinks links_;
};

/// The smallest that may stand for the workload under these options. `why_not`: why it is the
/// workload itself. Errors as fold().
[[nodiscard]] Result<Quotient> make_quotient(const graph::Workload& workload,
                                             const platform::Platform& platform,
                                             const model::Fabric& fabric,
                                             const model::Network& network, const Options& options,
                                             Communicators& communicators, Planner& planner,
                                             std::string& why_not);

}  // namespace orrery::sim

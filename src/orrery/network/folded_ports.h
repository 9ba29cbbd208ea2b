// SPDX-License-Identifier: Apache-2.0
//
// Which links messages of one rank meet, so that it may stand for all that are like it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/max_min/max_min.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// A message that leaves by a link of its sender's and comes by one of its receiver's, or by one
/// link between both, meets only messages of these two: at n senders that are alike the same
/// happens, and at each of m receivers that are alike there are n / m such messages. That is known
/// of dimensions (places along one dimension: the same switch, a neighbour in a ring, a link of a
/// fully connected block) and of fabrics where all devices hang on one switch, neither with
/// memories, whose links belong to no rank.
///
/// Where a way leads through links that others share, whoever folds has found out which of these
/// links are alike (EquivalentLinks), each of which then has the same messages on it: of n that
/// stand for one another and cross k links of a kind in all, there are k / m on each of its m.
class FoldedPorts {
 public:
  FoldedPorts(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);

  /// Ranks may stand for others at all.
  [[nodiscard]] bool foldable() const { return foldable_; }
  /// As the network has them.
  [[nodiscard]] bool shares_links() const { return shares_links_; }
  [[nodiscard]] std::uint32_t place(EndPoint rank) const { return place_[rank]; }
  [[nodiscard]] std::uint32_t colour(EndPoint from, EndPoint to) const;
  [[nodiscard]] bool uniform() const;
  void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const;
  [[nodiscard]] std::uint64_t link_kind(std::uint32_t link) const;

  /// As Network::fold().
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links);
  [[nodiscard]] bool folded() const { return !class_of_.empty(); }
  /// What a message that stands for `weight` takes of links. Empty: of links that are not theirs.
  [[nodiscard]] std::optional<std::vector<MaxMin::Hop>> hops(const Send& message, const Route& way);

 private:
  [[nodiscard]] bool on_one_switch(const platform::Fabric& fabric);
  [[nodiscard]] std::optional<std::vector<MaxMin::Hop>> hops_on_own_ports(const Send& message,
                                                                          const Route& way);

  std::shared_ptr<FabricRoutes> routes_;
  std::vector<platform::Dimension> dims_;  // empty: a fabric
  std::vector<std::uint32_t> place_;
  bool foldable_ = false;
  bool shares_links_ = false;
  EquivalentLinks links_;
  std::vector<std::uint32_t> class_of_, members_;  // empty: every rank for itself
  // The link into a class, by the dimension that it is of: the first that was seen.
  std::map<std::pair<std::uint32_t, std::uint32_t>, platform::LinkIndex> into_;
};

}  // namespace orrery::model

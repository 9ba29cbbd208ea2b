// SPDX-License-Identifier: Apache-2.0
//
// The links that messages of one rank use, so that it can represent all equivalent ranks.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/max_min/max_min.h"
#include "orrery/network/network.h"

namespace orrery::model {

/// Loads of links when one rank represents all equivalent ranks.
///
/// First case: each link belongs to a rank. A message leaves by a link of its sender and arrives by
/// a link of its receiver, or crosses one link between both. So it contends only with messages of
/// these two. The n equivalent senders behave identically, and each of m equivalent receivers gets
/// n / m such messages. This holds for dimensions, if both ranks differ in one dimension (the same
/// switch, a neighbor in a ring, or a link of a fully connected block). It also holds for fabrics
/// in which all devices are attached to one switch. There must be no memories, because their links
/// belong to no rank. The sender of a message may be any member of its class, as its receiver names
/// it: a port of one member represents this port of all members.
///
/// Second case: routes share links that belong to no rank, or cross several links of ranks. The
/// folding has determined the equivalent links (EquivalentLinks), which all carry the same
/// messages. If n equivalent messages cross k links of a kind in total, each of the m links of that
/// kind carries k / m.
class FoldedPorts {
 public:
  FoldedPorts(const platform::Platform& platform, std::shared_ptr<FabricRoutes> routes);

  /// Whether one rank may represent others at all.
  [[nodiscard]] bool foldable() const { return foldable_; }
  /// These implement the functions of Network with the same names.
  [[nodiscard]] bool shares_links() const { return shares_links_; }
  [[nodiscard]] std::uint32_t port_class(EndPoint rank) const { return port_class_[rank]; }
  [[nodiscard]] std::uint32_t pair_class(EndPoint from, EndPoint to) const;
  [[nodiscard]] bool uniform() const;
  void crossings(EndPoint from, EndPoint to, std::vector<Crossing>& out) const;
  [[nodiscard]] LinkKind link_kind(std::uint32_t link) const;
  void compare_links() { shares_links_ = true; }

  /// As Network::fold().
  void fold(const std::vector<std::uint32_t>& class_of, const std::vector<std::uint32_t>& members,
            const EquivalentLinks& links);
  [[nodiscard]] bool folded() const { return !class_of_.empty(); }
  /// The link shares of a message that represents `weight` messages. Empty: the message uses links
  /// that belong neither to its sender nor to its receiver.
  [[nodiscard]] std::optional<std::vector<MaxMin::Hop>> hops(const Send& message,
                                                             const Route& route);

  /// Traffic of each link that `link` represents (reported_as()): `times` messages, or the share
  /// `share` of each.
  struct Carried {
    platform::LinkIndex link = 0;
    double share = 1;
    std::uint32_t times = 1;
  };
  /// The traffic of a message. Equivalent links carry equally many of the messages that it
  /// represents, a whole number. Empty if hops() was empty for a message: the run is repeated.
  /// Valid until the next call.
  [[nodiscard]] std::span<const Carried> carried(const Send& message, const Route& route);
  /// As in Network. A rank of a fully connected block uses links to others than an equivalent rank
  /// does if an algorithm pairs ranks (halving-doubling): only compared links show which.
  [[nodiscard]] bool knows_equivalent_links() const;
  [[nodiscard]] std::span<const std::uint32_t> reported_as();

  /// For checkpoints, after fold().
  static auto fields(auto& self) {
    auto& [routes, dims, port_class, foldable, shares_links, links, class_of, members, known_links,
           carried, is_refused] = self;
    return std::tie(known_links);
  }

 private:
  [[nodiscard]] bool on_one_switch(const platform::Fabric& fabric);
  enum class PortKind : std::uint8_t { out, in };
  /// A port of each member of a class. Links to neighbors are one port for each relation
  /// (pair_class()).
  struct PortOfClass {
    std::uint32_t rank_class = 0;
    std::uint32_t dim = 0;
    PortKind kind = PortKind::out;
    std::uint32_t relation = 0;

    friend auto operator<=>(const PortOfClass&, const PortOfClass&) = default;
  };

  /// The only dimension in which two end points differ; of a fabric, 0. Empty: several.
  [[nodiscard]] std::optional<std::uint32_t> crossed_dim(EndPoint from, EndPoint to) const;
  void compare_ports();
  /// The link that represents a port: the one that the first message used.
  [[nodiscard]] platform::LinkIndex link_of_class(const PortOfClass& port,
                                                  platform::LinkIndex link);
  [[nodiscard]] std::optional<std::vector<MaxMin::Hop>> hops_on_rank_ports(const Send& message,
                                                                           const Route& route);

  std::shared_ptr<FabricRoutes> routes_;
  std::vector<platform::Dimension> dims_;  // empty: a fabric
  std::vector<std::uint32_t> port_class_;
  bool foldable_ = false;
  bool shares_links_ = false;
  EquivalentLinks links_;  // of links of ranks: only for reports, see compare_ports()
  std::vector<std::uint32_t> class_of_, members_;  // empty: not folded
  std::map<PortOfClass, platform::LinkIndex> known_links_;
  std::vector<Carried> carried_;  // scratch
  bool is_refused_ = false;       // hops() was empty for a message
};

}  // namespace orrery::model

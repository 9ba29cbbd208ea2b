// SPDX-License-Identifier: Apache-2.0
//
// Fat trees, and rails: leaves, spines, cores.
//
// A leaf has `per_leaf` ports below and per_leaf / oversubscription above. Above stand as few
// spines as their ports allow; what a leaf has left goes to the same ones again, as links of their
// own, so that a flow has one of them. Source: Leiserson, IEEE Trans. Comput. C-34 (1985);
// Al-Fares, Loukissas, Vahdat, SIGCOMM 2008, section 2.2 (three tiers of switches with k ports).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

using Ports = std::vector<Port>;

/// Ports of a switch below, when so many are below for each above.
std::int64_t downlinks(std::int64_t radix, double oversubscription) {
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(static_cast<double>(radix) * oversubscription /
                                   (1 + oversubscription)));
}

std::int64_t uplinks(std::int64_t downlinks, double oversubscription) {
  return static_cast<std::int64_t>(
      std::ceil(static_cast<double>(downlinks) / oversubscription - 1e-9));
}

std::int64_t ports_of_leaf(const NetworkPlan& plan) {
  return plan.per_leaf > 0 ? plan.per_leaf : downlinks(plan.radix, plan.oversubscription);
}

class Tree {
 public:
  Tree(TopologyBuilder& builder, const NetworkPlan& plan, std::string prefix)
      : builder_(builder), plan_(plan), prefix_(std::move(prefix)) {}

  void add_leaf(std::span<const Port> ports, const std::string& name) {
    const NodeIndex made = builder_.add(NodeClass::leaf, prefix_ + name);
    for (const Port& port : ports) builder_.join(port.node, made, plan_.port);
    leaves_.push_back(made);
  }

  [[nodiscard]] std::optional<KeyError> add_upper_tiers() {
    if (leaves_.size() < 2) return std::nullopt;
    const std::int64_t full = ports_of_leaf(plan_);
    const std::int64_t up = uplinks(full, plan_.oversubscription);
    if (full + up > plan_.radix)
      return KeyError{"/network/per_leaf",
                      fmt::format("a leaf needs {} downlink and {} uplink ports, but has {} ports",
                                  full, up, plan_.radix),
                      "raise `radix` or `oversubscription`"};
    return plan_.tiers == 2 ? add_spines(leaves_, up, NodeClass::spine, "spine", "use 3 tiers")
                            : add_pods(up);
  }

 private:
  /// Switches above all of `nodes`, which have `up` links each.
  std::optional<KeyError> add_spines(std::span<const NodeIndex> nodes, std::int64_t up,
                                     NodeClass kind, const std::string& name,
                                     const std::string& hint) {
    const auto count = static_cast<std::int64_t>(nodes.size());
    std::int64_t switches = 1;
    while (switches <= up && (up % switches != 0 || count * (up / switches) > plan_.radix))
      ++switches;
    if (switches > up)
      return KeyError{
          "/network/radix",
          fmt::format("switches with {1} ports cannot join {0} switches", count, plan_.radix),
          hint + ", or raise `radix`"};
    if (!builder_.has_room(2.0 * static_cast<double>(count) * static_cast<double>(up),
                           static_cast<double>(switches)))
      return std::nullopt;
    for (std::int64_t s = 0; s < switches; ++s) {
      const NodeIndex made = builder_.add(kind, fmt::format("{}{}{}", prefix_, name, s));
      for (const NodeIndex node : nodes) {
        for (std::int64_t i = 0; i < up / switches; ++i) builder_.join(node, made, plan_.trunk);
      }
    }
    return std::nullopt;
  }

  std::optional<KeyError> add_pods(std::int64_t up) {
    const std::int64_t per_pod = plan_.leaves_per_pod > 0
                                     ? plan_.leaves_per_pod
                                     : downlinks(plan_.radix, plan_.upper_oversubscription);
    const std::int64_t spine_up = uplinks(per_pod, plan_.upper_oversubscription);
    if (per_pod + spine_up > plan_.radix)
      return KeyError{"/network/leaves_per_pod",
                      fmt::format("a spine needs {} downlink and {} uplink ports, but has {} ports",
                                  per_pod, spine_up, plan_.radix),
                      "raise `radix` or `upper_oversubscription`"};
    const auto count = static_cast<std::int64_t>(leaves_.size());
    const auto spines_of_all = static_cast<double>((count + per_pod - 1) / per_pod * up);
    if (!builder_.has_room(2.0 * static_cast<double>(count) * static_cast<double>(up),
                           spines_of_all))
      return std::nullopt;
    std::vector<std::vector<NodeIndex>> planes(static_cast<std::size_t>(up));
    for (std::int64_t first = 0, pod = 0; first < count; first += per_pod, ++pod) {
      for (std::int64_t s = 0; s < up; ++s) {
        const NodeIndex made =
            builder_.add(NodeClass::spine, fmt::format("{}pod{}.spine{}", prefix_, pod, s));
        planes[static_cast<std::size_t>(s)].push_back(made);
        for (std::int64_t i = first; i < std::min(first + per_pod, count); ++i)
          builder_.join(leaves_[static_cast<std::size_t>(i)], made, plan_.trunk);
      }
    }
    for (std::size_t s = 0; s < planes.size() && planes[s].size() > 1; ++s) {
      if (auto wrong = add_spines(planes[s], spine_up, NodeClass::core, fmt::format("core{}.", s),
                                  "use larger pods"))
        return wrong;
    }
    return std::nullopt;
  }

  TopologyBuilder& builder_;
  const NetworkPlan& plan_;
  std::string prefix_;
  std::vector<NodeIndex> leaves_;
};

/// A leaf for each rail of as many hosts as a leaf has ports.
void add_rail_leaves(Tree& tree, std::span<const Port> ports, std::int64_t rail,
                     const NetworkPlan& plan) {
  Ports members;
  std::int64_t segment = 0;
  const auto flush = [&] {
    if (!members.empty()) tree.add_leaf(members, fmt::format("segment{}.rail{}", segment++, rail));
    members.clear();
  };
  for (const Port& port : ports) {
    if (port.rail != rail) continue;
    members.push_back(port);
    if (static_cast<std::int64_t>(members.size()) == ports_of_leaf(plan)) flush();
  }
  flush();
}

std::int64_t rails_of(std::span<const Port> ports) {
  std::int64_t rails = 0;
  for (const Port& port : ports) rails = std::max(rails, port.rail + 1);
  return rails;
}

}  // namespace

std::optional<KeyError> join_tree(TopologyBuilder& builder, std::span<const Port> ports,
                                  const NetworkPlan& plan) {
  Tree tree(builder, plan, plan.prefix);
  const auto each = static_cast<std::size_t>(ports_of_leaf(plan));
  for (std::size_t first = 0; first < ports.size(); first += each)
    tree.add_leaf(ports.subspan(first, std::min(each, ports.size() - first)),
                  fmt::format("leaf{}", first / each));
  return tree.add_upper_tiers();
}

std::optional<KeyError> join_rails(TopologyBuilder& builder, std::span<const Port> ports,
                                   const NetworkPlan& plan) {
  const std::int64_t rails = rails_of(ports);
  if (plan.shape == NetworkShape::rail_only) {
    for (std::int64_t rail = 0; rail < rails; ++rail) {
      Tree tree(builder, plan, fmt::format("{}rail{}.", plan.prefix, rail));
      add_rail_leaves(tree, ports, rail, plan);
      if (auto wrong = tree.add_upper_tiers()) return wrong;
    }
    return std::nullopt;
  }
  const std::int64_t planes = plan.shape == NetworkShape::dual_plane ? 2 : 1;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    Tree tree(builder, plan,
              plan.prefix + (planes == 1 ? std::string() : fmt::format("plane{}.", plane)));
    for (std::int64_t rail = 0; rail < rails; ++rail) add_rail_leaves(tree, ports, rail, plan);
    if (auto wrong = tree.add_upper_tiers()) return wrong;
  }
  return std::nullopt;
}

}  // namespace orrery::platform::generators

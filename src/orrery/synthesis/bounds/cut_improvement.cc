// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/bounds/cut_improvement.h"

#include <algorithm>

namespace orrery::synthesis {

namespace {

constexpr double kBetter = 1 + 1e-9;  // smaller improvements are rounding

class CutClimber {
 public:
  CutClimber(const FabricState& fabric, const CutDemand& demand, bool enters)
      : fabric_(fabric),
        demand_(demand),
        enters_(enters),
        inside_(fabric.node_count()),
        members_inside_(demand.members.size()),
        root_inside_(demand.members.size()) {}

  std::vector<bool> run(std::span<const std::vector<NodeIndex>> units,
                        std::span<const NodeIndex> start, std::uint64_t& steps) {
    for (const NodeIndex node : start) toggle(node);
    for (double now = ratio();; now = ratio()) {
      double best = now * kBetter;
      std::vector<NodeIndex> move;
      const auto try_move = [&](std::span<const NodeIndex> nodes) {
        const std::uint64_t before = evaluated_;
        for (const NodeIndex node : nodes) toggle(node);
        if (ratio() > best) {
          best = ratio();
          move.assign(nodes.begin(), nodes.end());
        }
        for (const NodeIndex node : nodes) toggle(node);
        steps -= std::min(steps, evaluated_ - before);
      };
      for (NodeIndex node = 0; node < inside_.size() && steps > 0; ++node) try_move({&node, 1});
      for (const auto& unit : units) {
        if (steps > 0) try_move(nodes_outside(unit));
      }
      if (move.empty()) return inside_;
      for (const NodeIndex node : move) toggle(node);
    }
  }

 private:
  [[nodiscard]] std::vector<NodeIndex> nodes_outside(const std::vector<NodeIndex>& unit) const {
    std::vector<NodeIndex> nodes;
    for (const NodeIndex node : unit) {
      if (!inside_[node]) nodes.push_back(node);
    }
    return nodes;
  }

  [[nodiscard]] double ratio() const {
    // every link has at least 1 byte/s
    return capacity_ > 1 && bytes_ > 0 ? bytes_ / capacity_ : 0;
  }

  [[nodiscard]] double bytes_of(std::uint32_t group) const {
    const std::int64_t inside = members_inside_[group];
    return enters_
               ? demand_.leaving_bytes(group, demand_.members[group] - inside, !root_inside_[group])
               : demand_.leaving_bytes(group, inside, root_inside_[group]);
  }

  void toggle(NodeIndex node) {
    const bool was = inside_[node];
    // Updates the wires that leave the node, then those that enter it: whether they cross the
    // boundary in the counted direction.
    for (const Wire& wire : fabric_.outgoing_wires(node))
      update_capacity(was, inside_[wire.to], enters_, wire.capacity);
    for (const std::uint32_t number : fabric_.incoming_wires(node)) {
      const Wire& wire = fabric_.wires[number];
      update_capacity(was, inside_[wire.from], !enters_, wire.capacity);
    }
    inside_[node] = !was;
    for (const std::uint32_t group : demand_.groups_of[node]) {
      bytes_ -= bytes_of(group);
      members_inside_[group] += was ? -1 : 1;
      if (node == demand_.roots[group]) root_inside_[group] = !was;
      bytes_ += bytes_of(group);
    }
    evaluated_ += 1 + fabric_.outgoing_wires(node).size() + fabric_.incoming_wires(node).size();
  }

  /// A wire counts if its ends are on different sides, and `other` is on side `counts`.
  void update_capacity(bool was, bool other, bool counts, double capacity) {
    if (other != counts) return;
    capacity_ += was == other ? capacity : -capacity;
  }

  const FabricState& fabric_;
  const CutDemand& demand_;
  bool enters_;
  std::vector<bool> inside_;
  std::vector<std::int64_t> members_inside_;  // by group
  std::vector<bool> root_inside_;
  double capacity_ = 0, bytes_ = 0;
  std::uint64_t evaluated_ = 0;
};

}  // namespace

std::vector<bool> improve_cut(const FabricState& fabric, const CutDemand& demand,
                              std::span<const std::vector<NodeIndex>> units,
                              std::span<const NodeIndex> start, bool enters, std::uint64_t& steps) {
  return CutClimber(fabric, demand, enters).run(units, start, steps);
}

}  // namespace orrery::synthesis

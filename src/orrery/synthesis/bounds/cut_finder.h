// SPDX-License-Identifier: Apache-2.0
//
// Finds sets of nodes with small capacity at their boundary. Private to bounds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// The links that cross the boundary of a set in one direction.
struct CutBoundary {
  double capacity = 0;
  Time latency{};                    ///< the smallest latency of a link
  std::vector<std::uint32_t> wires;  ///< indices into FabricState::wires

  void add(const FabricState& fabric, std::uint32_t wire);
};

/// A set of distinct nodes, with its boundary.
struct NodeSet {
  std::string name;  ///< "npu3", "host 2", "leaf0 and its devices"
  CutBoundary out, in;
  std::vector<NodeIndex> nodes;
};

/// Disjoint sets that contain all devices.
struct Partition {
  std::string name;  ///< "all devices", "all hosts"
  std::vector<NodeSet> sets;
};

/// Measures sets of nodes, and finds candidates for a group's members.
class CutFinder {
 public:
  /// `fabric` and `members` must outlive this object.
  CutFinder(const FabricState& fabric, std::span<const NodeIndex> members);

  [[nodiscard]] NodeSet measure(std::string name, std::span<const NodeIndex> nodes) const;
  [[nodiscard]] NodeSet measure(std::string name, const std::vector<bool>& inside) const;
  /// Partitions by device, by host, and by connected components without spines and cores, and
  /// without cores. O(links).
  [[nodiscard]] std::vector<Partition> partitions() const;
  /// Minimum cuts between the two halves of the members: in their order, and along each dimension
  /// if they form a grid. Omits cuts that need more than `steps` steps.
  [[nodiscard]] std::vector<NodeSet> bisections(std::uint64_t steps) const;
  /// A name of the set: "npu3", "host 2", "ranks 0-15".
  [[nodiscard]] std::string describe(const std::vector<bool>& inside) const;

 private:
  [[nodiscard]] Partition by_label(std::string name, std::span<const std::uint32_t> label,
                                   std::uint32_t labels) const;
  [[nodiscard]] Partition hosts() const;
  [[nodiscard]] Partition components_without_cores(bool spines) const;

  const FabricState& fabric_;
  std::span<const NodeIndex> members_;
  mutable std::vector<std::uint32_t> last_round_of_;
  mutable std::uint32_t round_ = 0;
};

}  // namespace orrery::synthesis

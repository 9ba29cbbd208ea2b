// SPDX-License-Identifier: Apache-2.0
//
// Sets of nodes around which a fabric may be thin, and what leaves and enters them. Private to
// bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "orrery/synthesis/fabric/fabric_state.h"

namespace orrery::synthesis {

/// The links of one direction around a set.
struct CutBoundary {
  double capacity = 0;
  Time latency{};                    ///< the least of one
  std::vector<std::uint32_t> wires;  ///< numbers in FabricState::wires

  void add(const FabricState& fabric, std::uint32_t wire);
};

/// A set of nodes, each once.
struct NodeSet {
  std::string name;  ///< "npu3", "host 2", "leaf0 and what hangs on it"
  CutBoundary out, in;
  std::vector<NodeIndex> nodes;
};

/// Sets that are disjoint and have all devices.
struct Partition {
  std::string name;  ///< "all devices", "all hosts"
  std::vector<NodeSet> sets;
};

/// Measures sets, and finds some for members.
class CutFinder {
 public:
  /// Ground and members must outlive this.
  CutFinder(const FabricState& fabric, std::span<const NodeIndex> members);

  [[nodiscard]] NodeSet measure(std::string name, std::span<const NodeIndex> nodes) const;
  [[nodiscard]] NodeSet measure(std::string name, const std::vector<bool>& inside) const;
  /// Each device; each host; what hangs together without spines and cores, and without cores.
  /// O(links).
  [[nodiscard]] std::vector<Partition> partitions() const;
  /// Halves of the members in their order, and of each dimension of a grid that they all are: a
  /// least cut between the two, not looked for beyond `steps`.
  [[nodiscard]] std::vector<NodeSet> halves(std::uint64_t steps) const;
  /// "npu3", "host 2", "ranks 0-15".
  [[nodiscard]] std::string describe(const std::vector<bool>& inside) const;

 private:
  [[nodiscard]] Partition by_label(std::string name, std::span<const std::uint32_t> label,
                                   std::uint32_t labels) const;
  [[nodiscard]] Partition hosts() const;
  [[nodiscard]] Partition without(bool spines) const;

  const FabricState& fabric_;
  std::span<const NodeIndex> members_;
  mutable std::vector<std::uint32_t> mark_;
  mutable std::uint32_t round_ = 0;
};

}  // namespace orrery::synthesis

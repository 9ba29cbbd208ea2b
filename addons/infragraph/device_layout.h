// SPDX-License-Identifier: Apache-2.0
//
// Where the nodes of a device lie among those of one copy of it, and which pairs of them an edge
// joins. Nothing here takes memory by a count that a file claims.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "addons/infragraph/infragraph_file.h"
#include "addons/infragraph/slices.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform::infragraph {

/// Of one device: its components lie one after another, copy after copy.
struct DeviceLayout {
  std::vector<std::uint64_t> first;  ///< of each component
  std::vector<std::uint64_t> each;   ///< nodes of one copy of it
  std::uint64_t size = 0;
  std::uint64_t ports = 0;           ///< nested ones left out
  bool holds_devices = false;        ///< nested ones included
  bool known = false, open = false;  ///< while layouts are made
};

/// Layouts of all devices, in order. Errc: input_cycle, input_corrupt (a device that is not there),
/// limit_exceeded (nested too deep). Sizes stop at the largest number.
[[nodiscard]] Result<std::vector<DeviceLayout>> make_layouts(const Infrastructure& file);

/// The nodes that a name with slices means, without listing them.
class NodeSelection {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const;
  /// More nodes: `range` of things that are `stride` apart.
  void narrow(const IndexRange& range, std::uint64_t stride);
  void clear() { size_ = 0; }
  void move(std::uint64_t by) { base_ += by; }
  friend bool operator==(const NodeSelection&, const NodeSelection&) = default;

 private:
  struct Digit {
    std::uint64_t size, stride;
    friend bool operator==(const Digit&, const Digit&) = default;
  };
  std::uint64_t base_ = 0, size_ = 1;
  std::vector<Digit> digits_;  // the last counts fastest
};

/// Adds what the slices say below a device. A component that is not there leaves no nodes
/// (fabric_edge_without_ends). Errc: input_corrupt (it ends at a nested device), input_range.
[[nodiscard]] Result<void> select_nodes(const Infrastructure& file,
                                        const std::vector<DeviceLayout>& layouts,
                                        std::size_t device, std::span<const Slice> slices,
                                        const std::string& place, NodeSelection& nodes,
                                        Findings& findings);

/// How many pairs an edge of two such lists joins at most; saturates.
[[nodiscard]] std::uint64_t pair_count(EdgeScheme scheme, const NodeSelection& a,
                                       const NodeSelection& b);

/// Calls `join(from, to)` for every pair.
template <class Join>
void for_pairs(EdgeScheme scheme, const NodeSelection& a, const NodeSelection& b,
               const Join& join) {
  switch (scheme) {
    case EdgeScheme::one2one:
      for (std::uint64_t i = 0; i < a.size() && i < b.size(); ++i) join(a.at(i), b.at(i));
      return;
    case EdgeScheme::many2many:
      for (std::uint64_t i = 0; i < a.size(); ++i) {
        for (std::uint64_t k = 0; k < b.size(); ++k) join(a.at(i), b.at(k));
      }
      return;
    case EdgeScheme::ring: {
      const std::uint64_t more = a == b ? 0 : b.size(), all = a.size() + more;
      const auto at = [&](std::uint64_t i) { return i < a.size() ? a.at(i) : b.at(i - a.size()); };
      for (std::uint64_t i = 0; i < all; ++i) join(at(i), at((i + 1) % all));
      return;
    }
  }
}

}  // namespace orrery::platform::infragraph

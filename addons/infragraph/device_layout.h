// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a device's nodes within one copy of it, and the pairs of nodes that an edge joins.
// Memory does not depend on counts that a file claims.
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

/// The layout of a device: its components are consecutive, copy after copy.
struct DeviceLayout {
  std::vector<std::uint64_t> first;  ///< first node of each component
  std::vector<std::uint64_t> each;   ///< number of nodes in one copy of each component
  std::uint64_t size = 0;
  std::uint64_t ports = 0;           ///< without those of nested devices
  bool holds_devices = false;        ///< including nested devices
  bool known = false, open = false;  ///< state of make_layouts()
};

/// The layouts of all devices, in order. Errc: input_cycle, input_corrupt (a missing device),
/// limit_exceeded (nested too deep). Sizes saturate.
[[nodiscard]] Result<std::vector<DeviceLayout>> make_layouts(const Infrastructure& file);

/// The nodes that a name with slices selects, without listing them.
class NodeSelection {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const;
  /// Adds a dimension: `range` of items at distance `stride`.
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
  std::vector<Digit> digits_;  // the last one varies fastest
};

/// Applies the slices within a device to `nodes`. If a component does not exist, no nodes remain
/// (fabric_edge_without_ends). Errc: input_corrupt (the name ends at a nested device), input_range.
[[nodiscard]] Result<void> select_nodes(const Infrastructure& file,
                                        const std::vector<DeviceLayout>& layouts,
                                        std::size_t device, std::span<const Slice> slices,
                                        const std::string& place, NodeSelection& nodes,
                                        Findings& findings);

/// The maximum number of pairs that an edge between two selections joins; saturates.
[[nodiscard]] std::uint64_t pair_count(EdgeScheme scheme, const NodeSelection& a,
                                       const NodeSelection& b);

/// Calls `join(from, to)` for each pair.
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

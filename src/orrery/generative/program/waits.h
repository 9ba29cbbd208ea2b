// SPDX-License-Identifier: Apache-2.0
//
// Dependencies as references to the latest nodes of lanes, independent of node numbers.
//
// A lane is a series of nodes: all computation, all collectives of a group, all nodes of one name.
// A reference is a lane and how many nodes back. Loops over layers and microbatches then repeat the
// same references, like waits for CUDA streams and events. Every dependency on an earlier node has
// a reference, because one lane holds all nodes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/generative/program/op_shape.h"

namespace orrery::generative {

/// Index of a lane in LaneNames.
using Lane = std::uint32_t;
inline constexpr Lane kAllNodes = 0;

/// The names of lanes.
class LaneNames {
 public:
  LaneNames() { (void)intern("all"); }
  Lane intern(std::string_view name);
  [[nodiscard]] const std::string& name(Lane lane) const { return names_[lane]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// The lanes of a node of this shape, general ones first, without kAllNodes.
  [[nodiscard]] std::vector<Lane> lanes_of(const OpShape& shape);

 private:
  std::vector<std::string> names_;
  std::map<std::string, Lane, std::less<>> numbers_;
};

/// The node that is `back` nodes back in `lane`; 1: the latest. Refers to nothing if the lane has
/// fewer nodes.
struct Wait {
  Lane lane = kAllNodes;
  std::uint32_t back = 1;
  friend auto operator<=>(const Wait&, const Wait&) = default;
};
using Waits = std::vector<Wait>;  ///< ascending

inline constexpr std::uint32_t kNothing = ~0U;
inline constexpr std::uint32_t kRemembered = 4;  ///< nodes of a lane that references can reach

/// The latest nodes of all lanes.
class LaneHistory {
 public:
  /// The node that `wait` refers to, as seen by the next node; or kNothing. Constant time.
  [[nodiscard]] std::uint32_t resolve(Wait wait) const;
  /// Adds the next node to its lanes.
  void add(std::span<const Lane> lanes);
  [[nodiscard]] std::uint32_t size() const { return next_; }

 private:
  struct Recent {
    std::array<std::uint32_t, kRemembered> nodes{};
    std::uint32_t count = 0;
  };
  std::vector<Recent> lanes_;
  std::uint32_t next_ = 0;
};

/// Nodes in order, as the search for references needs them.
struct NodeOrder {
  std::vector<std::uint32_t> shapes;              ///< by node
  std::vector<std::vector<Lane>> lanes_of_shape;  ///< by shape
  std::vector<std::vector<std::uint32_t>> deps;   ///< by node: earlier nodes, ascending
};

/// References of each node that resolve to exactly its dependencies. Nodes of one shape have equal
/// references where possible: of all references that never resolve to a node that is no dependency,
/// the fewest that cover the most. O(nodes + dependencies).
[[nodiscard]] std::vector<Waits> find_waits(const NodeOrder& order);

}  // namespace orrery::generative

// SPDX-License-Identifier: Apache-2.0
//
// The only mutable form of a Graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// What to do with damage that has an obvious smallest remedy.
enum class Repair : std::uint8_t {
  refuse,  ///< the first damage is an Error
  repair,  ///< drop the offending node or edge and count a finding
};

/// One node as a reader hands it over. Only the table of its kind is looked at.
struct NodeSpec {
  std::uint64_t id = 0;
  NodeKind kind = NodeKind::invalid;
  std::uint16_t flags = 0;  ///< NodeFlag bits
  Time duration{};
  StringId name = StringId::empty;
  Work work{};
  Collective collective{};
  PointToPoint message{};
  std::vector<std::uint64_t> deps;  ///< trace ids, data and control, any order, duplicates allowed
  std::vector<TensorUse> tensors;
  std::uint64_t offset = 0;         ///< where its record begins in the file, for error messages
};

/// Collects nodes in any order (forward references are fine), then checks and sorts them once.
class GraphBuilder {
 public:
  /// `where` names the file in errors, e.g. "w.3.et". `strings` is shared by all ranks of a workload.
  GraphBuilder(std::string where, std::shared_ptr<StringPool> strings, Repair repair);

  [[nodiscard]] StringPool& strings() { return *strings_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  void add(const NodeSpec& node);

  /// The finished graph. O(nodes log nodes) when ids come unsorted, linear otherwise.
  /// Errc: input_duplicate_id, input_dangling_dep, input_self_edge, input_cycle (the shortest circle found is printed),
  /// limit_exceeded. With Repair::repair these become findings.
  [[nodiscard]] Result<Graph> finish(Findings& findings) &&;

 private:
  struct Slot {  // 40 bytes of scratch per node
    std::uint64_t id;
    std::uint64_t offset;
    Time duration;
    StringId name;
    std::uint32_t payload;
    std::uint32_t first_dep;
    std::uint16_t flags;
    NodeKind kind;
  };
  std::string where_;
  std::shared_ptr<StringPool> strings_;
  Repair repair_;
  std::vector<Slot> nodes_;
  std::vector<std::uint64_t> deps_;  // trace ids; node i owns [first_dep of i, first_dep of i+1)
  Graph graph_;                      // side tables grow here directly
};

}  // namespace orrery::graph

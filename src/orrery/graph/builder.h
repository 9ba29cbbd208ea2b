// SPDX-License-Identifier: Apache-2.0
//
// The only mutable form of a Graph.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/content_hash.h"
#include "orrery/graph/graph.h"

namespace orrery::graph {

/// How the builder handles a defect that it can repair by dropping a node or an edge.
enum class Repair : std::uint8_t {
  refuse,  ///< return the first defect as an Error
  repair,  ///< drop the offending node or edge and count a finding
};

/// Lag and kind of a dependency.
struct DependencyNote {
  std::uint64_t dep = 0;  ///< trace id of the node that this node waits for
  Time lag{};             ///< not negative
  DependencyKind kind = DependencyKind::unsaid;
};

/// One node as a reader passes it to GraphBuilder. The builder reads only the attributes of its
/// kind.
struct NodeSpec {
  std::uint64_t id = 0;
  NodeKind kind = NodeKind::invalid;
  std::uint16_t flags = 0;  ///< NodeFlag bits
  Time duration{};
  StringId name = StringId::empty;
  Work work{};
  KernelId kernel = kNoKernel;  ///< of comp, mem_load and mem_store: index in GraphBuilder::kernels
  Collective collective{};
  PointToPoint message{};
  std::vector<std::uint64_t> deps;  ///< trace ids, data and control, any order, duplicates allowed
  /// Lags and kinds of some of `deps`; the builder ignores notes on other ids. If a dependency has
  /// several notes, the longest lag and the first stated kind apply.
  std::vector<DependencyNote> notes;
  std::vector<TensorUse> tensors;
  std::optional<Lane> lane;
  StepScope scope;
  std::uint64_t offset = 0;  ///< byte offset of its record in the file, for error messages
};

/// Collects nodes in any order (forward references are allowed), then checks and sorts them once.
class GraphBuilder {
 public:
  /// `where` names the file in errors, e.g. "w.3.et". `strings` is shared by all ranks of a
  /// workload.
  GraphBuilder(std::string where, std::shared_ptr<StringPool> strings, Repair repair);

  [[nodiscard]] StringPool& strings() { return *strings_; }
  /// The table that NodeSpec::kernel indexes.
  [[nodiscard]] KernelTable& kernels() { return *kernels_; }
  /// Uses a kernel table that other ranks share. Call it before the first add().
  void share_kernels(std::shared_ptr<KernelTable> kernels) { kernels_ = std::move(kernels); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// Reserves memory for about this many nodes and dependencies. Callers estimate both from the
  /// size of the input, never from counts that a file claims.
  void reserve(std::size_t nodes, std::size_t deps);
  [[nodiscard]] std::size_t dep_count() const { return deps_.size(); }

  /// Copies what it needs; a reader can reuse one NodeSpec.
  void add(const NodeSpec& node);

  /// Checks all nodes and returns the graph. O(nodes log nodes) if ids are unsorted, linear
  /// otherwise. Errc: input_duplicate_id, input_dangling_dep, input_self_edge, input_cycle (the
  /// message shows the shortest cycle found), limit_exceeded. With Repair::repair, all except
  /// limit_exceeded become findings.
  [[nodiscard]] Result<Graph> finish(Findings& findings) &&;

 private:
  struct Slot {  // scratch per node
    std::uint64_t id;
    std::uint64_t offset;
    Time duration;
    StringId name;
    std::uint32_t payload;
    std::uint32_t first_dep;
    std::uint16_t flags;
    NodeKind kind;
    bool has_tensors;
  };
  struct ItemRun {  // items [first, next run's first) belong to the node at `position`
    std::uint32_t position;
    std::uint32_t first;
  };
  /// End of the items of a run; `items`: the number of all items.
  [[nodiscard]] static std::uint32_t end_of(const std::vector<ItemRun>& runs, std::size_t run,
                                            std::size_t items);
  static constexpr std::size_t kRecent = 256;
  struct Recent {  // recently added rows of the side tables, so that repeated layers share rows
    std::uint32_t work[kRecent];
    std::uint32_t collective[kRecent];
    std::uint32_t message[kRecent];
  };

  // The steps of finish(), in order. A position is an index in nodes_, a NodeId an index in the
  // graph.
  Result<void> sort_nodes(Findings& findings);
  void index_ids();
  [[nodiscard]] NodeId find(std::uint64_t id) const;
  [[nodiscard]] NodeId node_count() const { return static_cast<NodeId>(columns_.kinds.size()); }
  Result<void> resolve_deps(Findings& findings);
  Result<void> resolve_deps_of(NodeId n, bool& forward, Findings& findings);
  Result<void> check_acyclic(Findings& findings);
  void link_successors();
  [[nodiscard]] std::uint64_t fill_columns();  // returns the content hash
  void move_tensors();
  void hash_kernels(ContentHash& hash) const;
  void fill_lanes(ContentHash& hash);
  void fill_notes(ContentHash& hash);
  [[nodiscard]] std::uint32_t number_of(const std::optional<Lane>& lane);
  void fill_scopes(ContentHash& hash);
  [[nodiscard]] std::uint32_t number_of(const StepScope& scope);
  [[nodiscard]] std::uint32_t find_edge(NodeId from, NodeId to) const;

  [[nodiscard]] std::uint32_t payload_of(const NodeSpec& node);
  [[nodiscard]] std::uint32_t work_row(const NodeSpec& node);
  [[nodiscard]] const Slot& slot(NodeId n) const { return nodes_[order_.empty() ? n : order_[n]]; }
  [[nodiscard]] std::string place(NodeId n) const;
  [[nodiscard]] std::string label(NodeId n) const;

  std::string where_;
  std::shared_ptr<StringPool> strings_;
  std::shared_ptr<KernelTable> kernels_ = std::make_shared<KernelTable>();
  Repair repair_;
  bool sorted_ = true;  // ids were added in strictly ascending order
  std::vector<Slot> nodes_;
  std::vector<std::uint64_t> deps_;  // trace ids; node i owns [first_dep of i, first_dep of i+1)
  bool too_many_deps_ = false;
  std::vector<ItemRun> tensor_runs_;
  std::vector<TensorUse> tensors_;
  std::vector<ItemRun> note_runs_;
  std::vector<DependencyNote> notes_;
  std::vector<std::uint32_t> lanes_;  // by position; empty: no node has a lane
  std::map<Lane, std::uint32_t> lane_numbers_;
  std::vector<std::uint32_t> scopes_;  // by position; empty: no node has a scope
  std::map<StepScope, std::uint32_t> scope_numbers_;
  std::unique_ptr<Recent> recent_;
  Columns<GrowingColumn> columns_;  // add() appends to the side tables here
  std::uint64_t first_id_ = 0;

  std::vector<std::uint32_t> order_;  // position of each node; empty: in the order of add()
  std::vector<std::uint32_t> dense_;  // node by id - first_id_; can be empty
  std::vector<std::uint32_t>
      first_pred_;  // predecessors of n: preds_[first_pred_[n] … first_pred_[n+1])
  std::vector<NodeId> preds_;
};

}  // namespace orrery::graph

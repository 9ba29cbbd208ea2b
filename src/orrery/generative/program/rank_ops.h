// SPDX-License-Identifier: Apache-2.0
//
// The work of a rank as a sequence of ops, which repeat wherever the work repeats.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/generative/program/op_shape.h"
#include "orrery/generative/program/waits.h"
#include "orrery/graph/workload.h"

namespace orrery::generative {

/// A node without its number and microbatch.
struct Op {
  std::uint32_t shape = 0;  ///< index in OpTable::shapes
  OpValues values;
  Waits waits;
  friend auto operator<=>(const Op&, const Op&) = default;
};

/// The distinct ops of a job. Indices are dense, in order of first use.
class OpTable {
 public:
  std::uint32_t intern(const OpShape& shape);
  std::uint32_t intern(Op op);
  [[nodiscard]] const OpShape& shape(std::uint32_t number) const { return shapes_[number]; }
  [[nodiscard]] const std::vector<Lane>& lanes(std::uint32_t shape) const { return lanes_[shape]; }
  [[nodiscard]] const Op& op(std::uint32_t number) const { return *ops_[number]; }
  [[nodiscard]] std::size_t shape_count() const { return shapes_.size(); }
  [[nodiscard]] std::size_t op_count() const { return ops_.size(); }
  [[nodiscard]] const LaneNames& lane_names() const { return names_; }
  [[nodiscard]] LaneNames& lane_names() { return names_; }

 private:
  LaneNames names_;
  std::vector<OpShape> shapes_;
  std::vector<std::vector<Lane>> lanes_;
  std::map<std::string, std::uint32_t> shape_numbers_;
  std::map<Op, std::uint32_t> numbers_;
  std::vector<const Op*> ops_;
};

/// One rank.
struct RankOps {
  std::vector<std::uint32_t> ops;          ///< by node: index in the table
  std::vector<std::int64_t> microbatches;  ///< by node; -1: none
  std::vector<graph::NodeId> nodes;        ///< as read: the nodes of the graph, in this order
};

/// The axis of a group: what `name` means at `rank`.
using AxisOfGroup = std::function<std::string(std::string_view name)>;

/// Reads a rank. Nodes keep the order of their ids, except that a node follows all its
/// dependencies. Not represented: ids, layer numbers in names, tensors, recorded lanes and scopes,
/// kinds of dependencies. Errc: input_unsupported for anything else that ops cannot represent
/// (lags; see read_op).
[[nodiscard]] Result<RankOps> read_rank(const graph::Graph& graph, std::uint32_t rank,
                                        const AxisOfGroup& axis_of, OpTable& table);

/// Calls `on_node` for each node, with ids 0, 1, … The NodeSpec is reused. Groups are named by
/// axis, peers are distances. Stops when the callback returns an error, and returns it.
[[nodiscard]] Result<void> write_rank(
    const RankOps& rank, const OpTable& table, StringPool& pool, graph::KernelTable& kernels,
    const std::function<Result<void>(const graph::NodeSpec&)>& on_node);

}  // namespace orrery::generative

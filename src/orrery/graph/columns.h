// SPDX-License-Identifier: Apache-2.0
//
// The layout of a Graph's columns in a block of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Calls `visit` with each column of `from` and the same column of `to`.
template <class From, class To, class Visit>
void pair_columns(From& from, To& to, Visit visit) {
  visit(from.id_offsets, to.id_offsets);
  visit(from.ids, to.ids);
  visit(from.kinds, to.kinds);
  visit(from.flags, to.flags);
  visit(from.durations, to.durations);
  visit(from.names, to.names);
  visit(from.payloads, to.payloads);
  visit(from.in_degrees, to.in_degrees);
  visit(from.first_succ, to.first_succ);
  visit(from.succ, to.succ);
  visit(from.works, to.works);
  visit(from.work_kernels, to.work_kernels);
  visit(from.collectives, to.collectives);
  visit(from.messages, to.messages);
  visit(from.tensor_nodes, to.tensor_nodes);
  visit(from.first_tensor, to.first_tensor);
  visit(from.tensors, to.tensors);
  visit(from.lane_numbers, to.lane_numbers);
  visit(from.lanes, to.lanes);
  visit(from.scope_numbers, to.scope_numbers);
  visit(from.scopes, to.scopes);
  visit(from.edge_kinds, to.edge_kinds);
  visit(from.lags, to.lags);
}

/// Index of `to` in the ascending `successors`; kNoNode if it is not among them.
[[nodiscard]] inline std::uint32_t successor_index(std::span<const NodeId> successors, NodeId to) {
  const auto found = std::lower_bound(successors.begin(), successors.end(), to);
  return found == successors.end() || *found != to
             ? kNoNode
             : static_cast<std::uint32_t>(found - successors.begin());
}

/// Start of a column: `offset`, rounded up to a multiple of 8 bytes.
[[nodiscard]] constexpr std::size_t align_up(std::size_t offset) { return (offset + 7) / 8 * 8; }

/// Copies `column` to `place` and returns the copy.
template <class T>
[[nodiscard]] FinishedColumn<T> copy_column(const std::vector<T>& column, std::byte* place) {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
  if (column.empty()) return {};
  std::memcpy(place, column.data(), column.size() * sizeof(T));
  return {reinterpret_cast<const T*>(place), column.size()};
}

/// `column` lies in block `from`. Returns the column at the same offset of block `to`.
template <class T>
[[nodiscard]] FinishedColumn<T> rebase_column(FinishedColumn<T> column, const std::byte* from,
                                              const std::byte* to) {
  if (column.empty()) return {};
  const auto offset = reinterpret_cast<const std::byte*>(column.data()) - from;
  return {reinterpret_cast<const T*>(to + offset), column.size()};
}

}  // namespace orrery::graph

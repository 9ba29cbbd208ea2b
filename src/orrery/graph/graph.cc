// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/graph.h"

#include <algorithm>

namespace orrery::graph {

std::string_view name(NodeKind kind) {
  switch (kind) {
    case NodeKind::invalid:
      return "invalid";
    case NodeKind::metadata:
      return "metadata";
    case NodeKind::mem_load:
      return "mem_load";
    case NodeKind::mem_store:
      return "mem_store";
    case NodeKind::comp:
      return "comp";
    case NodeKind::send:
      return "send";
    case NodeKind::recv:
      return "recv";
    case NodeKind::coll:
      return "coll";
  }
  return "invalid";
}

std::string_view name(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return "all_reduce";
    case CollectiveType::reduce:
      return "reduce";
    case CollectiveType::all_gather:
      return "all_gather";
    case CollectiveType::gather:
      return "gather";
    case CollectiveType::scatter:
      return "scatter";
    case CollectiveType::broadcast:
      return "broadcast";
    case CollectiveType::all_to_all:
      return "all_to_all";
    case CollectiveType::reduce_scatter:
      return "reduce_scatter";
    case CollectiveType::reduce_scatter_block:
      return "reduce_scatter_block";
    case CollectiveType::barrier:
      return "barrier";
    case CollectiveType::unknown:
      return "unknown";
  }
  return "unknown";
}

NodeId Graph::find(std::uint64_t wanted) const {
  NodeId low = 0;
  NodeId high = size();
  if (high == 0 || wanted < id(0) || wanted > id(high - 1)) return kNoNode;
  while (low < high) {
    const NodeId middle = low + (high - low) / 2;
    if (id(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return id(low) == wanted ? low : kNoNode;
}

std::span<const TensorUse> Graph::tensors(NodeId n) const {
  const auto found = std::lower_bound(tensor_nodes_.begin(), tensor_nodes_.end(), n);
  if (found == tensor_nodes_.end() || *found != n) return {};
  const auto row = static_cast<std::size_t>(found - tensor_nodes_.begin());
  return {tensors_.data() + first_tensor_[row], first_tensor_[row + 1] - first_tensor_[row]};
}

namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& column) {
  return column.capacity() * sizeof(T);
}

}  // namespace

std::size_t Graph::resident_bytes() const {
  return sizeof(Graph) + bytes_of(id_offsets_) + bytes_of(ids_) + bytes_of(kinds_) +
         bytes_of(flags_) + bytes_of(durations_) + bytes_of(names_) + bytes_of(payloads_) +
         bytes_of(in_degrees_) + bytes_of(first_succ_) + bytes_of(succ_) + bytes_of(works_) +
         bytes_of(collectives_) + bytes_of(messages_) + bytes_of(tensor_nodes_) +
         bytes_of(first_tensor_) + bytes_of(tensors_);
}

}  // namespace orrery::graph

// SPDX-License-Identifier: Apache-2.0
//
// Selects the nodes of a graph that a change applies to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// Category of a node's time.
enum class WorkKind : std::uint8_t {
  host,           ///< host threads
  kernels,        ///< device work without communication; all computation if no device is recorded
  copies,         ///< copies and memsets of a device
  communication,  ///< collectives, messages, and nodes marked as communication
  waits,          ///< nodes that represent idle time
};
inline constexpr std::size_t kWorkKinds = 5;
[[nodiscard]] std::string_view name(WorkKind kind);

/// Category of the time of `n`; nullopt for metadata.
[[nodiscard]] std::optional<WorkKind> work_kind(const Graph& graph, NodeId n);

/// Whether `n` is work of the rank's own device or host, and not communication.
[[nodiscard]] bool is_own_work(const Graph& graph, NodeId n);

/// By node: the step that own work belongs to, for a graph of `steps` consecutive steps. The i-th
/// of n works of a name belongs to step ⌊i × steps / n⌋. 0 for other nodes. O(nodes)
[[nodiscard]] std::vector<std::uint32_t> steps_of_works(const Graph& graph, std::size_t steps);

/// Kind of the edge from `from` to its successor `i`. If the edge states none, the kind is the
/// default between host and device in a recorded trace, else `unsaid`.
[[nodiscard]] DependencyKind edge_kind(const Graph& graph, NodeId from, std::size_t i);

/// Kind of time between nodes that belongs to no node.
enum class LagKind : std::uint8_t {
  launch,  ///< from a host call to the work that it launches
  waits,   ///< unexplained recorded waits, and nodes that represent waiting
  gaps,    ///< all others
  polls    ///< until a work has written what a thread reads: changes with the work (poll_edges.h)
};
inline constexpr std::size_t kLagKinds = 4;
/// Kind of the lag of the edge from `from` to its successor `i`.
[[nodiscard]] LagKind lag_kind(const Graph& graph, NodeId from, std::size_t i);

/// Conditions on nodes. A selected node meets all of them.
struct NodeSelection {
  std::optional<WorkKind> kind;
  std::optional<Operation> operation;  ///< of nodes whose kernel is known
  std::string name_part;               ///< part of the name, not of host work or waits; empty: any
  std::string name;                    ///< the complete name, instead of `name_part`; empty: any
  std::string group;                   ///< collectives of this group or axis; empty: any node
};

/// By node: whether it is selected. O(nodes), plus one search per distinct name.
[[nodiscard]] std::vector<bool> select_nodes(const Graph& graph, const NodeSelection& selection);

}  // namespace orrery::graph

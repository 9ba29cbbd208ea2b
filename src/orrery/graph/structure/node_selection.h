// SPDX-License-Identifier: Apache-2.0
//
// Which of a graph's nodes a change is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/graph.h"

namespace orrery::graph {

/// What a node's time goes to.
enum class WorkKind : std::uint8_t {
  host,           ///< steps of threads
  kernels,        ///< of a device, but for communication; all that computes where no host is
                  ///< recorded
  copies,         ///< copies and memsets of a device
  communication,  ///< collectives, messages, and what is said to communicate
  waits,          ///< nodes that stand for time in which nothing is done
};
inline constexpr std::size_t kWorkKinds = 5;
[[nodiscard]] std::string_view name(WorkKind of);

/// `n` takes part in none of them where it is metadata.
[[nodiscard]] std::optional<WorkKind> time_of(const Graph& graph, NodeId n);

/// A rank's own work: of its device or its host, and no communication.
[[nodiscard]] bool is_own_work(const Graph& graph, NodeId n);

/// To which of so many steps, one after another in the graph, each of a rank's own works belongs:
/// the i-th of n works of a name to ⌊i × steps / n⌋. 0 for other nodes. O(nodes)
[[nodiscard]] std::vector<std::uint32_t> steps_of_works(const Graph& graph, std::size_t steps);

/// Why `to` waits for `from`, where `said` is what the edge says of it: of a recorded trace, an
/// edge that says nothing is the usual one between host and device; `unsaid` of others.
[[nodiscard]] DependencyKind edge_kind(const Graph& graph, NodeId from, NodeId to,
                                       DependencyKind said);

/// What passes between nodes and is nobody's work.
enum class LagKind : std::uint8_t {
  launch,  ///< from a call of the host to the work that it launched
  waits,   ///< recorded waits that nothing explains, and nodes that stand for waiting
  gaps     ///< all other
};
inline constexpr std::size_t kLagKinds = 3;
/// What the lag of an edge is, where `said` is what the edge says of why it is there.
[[nodiscard]] LagKind lag_kind(const Graph& graph, NodeId from, NodeId to, DependencyKind said);

/// Some nodes: those that are all that is said.
struct Selection {
  std::optional<WorkKind> of;
  std::optional<Operation> operation;  ///< of nodes whose kernel is known
  std::string part;                    ///< of the name of work of a device; empty: of any
  std::string exactly;                 ///< … the whole of it
  std::string group;                   ///< of collectives of this group or axis; empty: of any
};

/// Whether each of the nodes is among them. O(nodes), and a search in each distinct name.
[[nodiscard]] std::vector<bool> selected(const Graph& graph, const Selection& selection);

}  // namespace orrery::graph

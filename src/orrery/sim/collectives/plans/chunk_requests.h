// SPDX-License-Identifier: Apache-2.0
//
// How collectives become requests for plans of chunks: one place for the simulation and for the
// counts before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "orrery/graph/graph.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/state/policy.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// The prefix of the traces that a collective runs, by node first, then by type; null: none.
[[nodiscard]] const std::string* custom_algorithm(const platform::CollectiveConfig& config,
                                                  const graph::Graph& graph, graph::NodeId node,
                                                  graph::CollectiveType type);

/// The name in Workload::custom_collectives of the traces that `members` (all, if empty) run for an
/// algorithm of custom_algorithm(): the prefix itself, except that rings (platform::kRings) depend
/// on the collective and the members. Without such traces, the algorithms of the dimensions run.
[[nodiscard]] std::string traces_of(const std::string& prefix, graph::CollectiveType type,
                                    std::span<const std::uint32_t> members);

/// Whether `workload` lacks the rings of these members, so that the algorithms of the dimensions
/// run the collective.
[[nodiscard]] bool lacks_rings(const graph::Workload& workload, const std::string& prefix,
                               graph::CollectiveType type, std::span<const std::uint32_t> members);

/// The number of chunks of a collective, unless a model chooses it. A library cuts its collectives
/// itself.
[[nodiscard]] std::int64_t chunk_count(const platform::CollectiveConfig& config,
                                       const Options& options);

/// The request for chunks of `collective`, which runs as `type` on the topology of this number.
/// Bytes, order and phases are not set: the order is the natural one.
[[nodiscard]] ChunkRequest natural_request(const CollectivePlanner& planner,
                                           graph::CollectiveType type, std::uint32_t topology,
                                           const graph::Collective& collective);

/// Whether Themis orders the reduce-scatter and the all-gather of an all-reduce separately.
[[nodiscard]] bool has_two_phases(const platform::CollectiveConfig& config, const Policy& policy,
                                  graph::CollectiveType type);

}  // namespace orrery::sim

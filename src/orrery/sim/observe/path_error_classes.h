// SPDX-License-Identifier: Apache-2.0
//
// Breaks down the critical path by the source of its times.
#pragma once

#include <string>
#include <vector>

#include "orrery/model/compute/compute_model.h"
#include "orrery/sim/collectives/collective_runner.h"
#include "orrery/sim/collectives/custom_collectives.h"
#include "orrery/sim/collectives/plans/collective_planner.h"
#include "orrery/sim/engine/ranks/nodes.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/sim_result.h"

namespace orrery::sim {

/// The name of the class of a predicted kernel: "learned gemm bf16".
[[nodiscard]] std::string class_name(TimeSource source, const graph::Kernel& kernel);
/// The name of the class of a library's collective: "nccl all_reduce, 32 ranks on 4 nodes
/// (scaled)".
[[nodiscard]] std::string class_name(const PredictedCollective& predicted);

/// The components that know the sources of node durations.
struct DurationSources {
  const model::ComputeModel& compute;
  const Nodes& nodes;
  const CustomCollectives& customs;
  CollectiveRunner& collectives;
  CollectivePlanner& planner;
};

/// Every picosecond of the path is in one class, so that the times of all classes sum to the end of
/// the path.
///
/// - A predicted kernel is in the class of its model, its operation and the format of its first
/// input. A table's values at measured points have no error of their own.
/// - A collective that a library runs is in the class of its type, ranks, nodes and source. The
/// class includes the wait for others in a dimension's queue: those are collectives of the same
/// library.
/// - Recorded times have no error of their own; changed ones have the error in
/// Workload::provenance. Everything else (rooflines, messages, ideal collectives, loads and stores,
/// waiting) has no known error.
///
/// The result does not depend on folding. O(path).
///
/// Fills `time_by_provenance` with the same times by provenance.
[[nodiscard]] std::vector<ErrorClass> error_classes(const std::vector<CriticalPathNode>& path,
                                                    EngineRun& run, const DurationSources& sources,
                                                    TimeByProvenance& time_by_provenance);

}  // namespace orrery::sim

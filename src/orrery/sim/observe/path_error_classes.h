// SPDX-License-Identifier: Apache-2.0
//
// The critical path by who told how long it takes.
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

/// What the class of a kernel is called that a model told: "learned gemm bf16".
[[nodiscard]] std::string class_name(TimeSource source, const graph::Kernel& kernel);
/// … and that of a library's collective: "nccl all_reduce, 32 ranks on 4 nodes (scaled)".
[[nodiscard]] std::string class_name(const PredictedCollective& predicted);

/// Whom a node's length is to be asked about.
struct DurationSources {
  const model::ComputeModel& compute;
  const Nodes& nodes;
  const CustomCollectives& customs;
  CollectiveRunner& collectives;
  CollectivePlanner& planner;
};

/// Every picosecond of the path is in one class, so their times sum to its end.
///
/// - A kernel that a model told is in the class of that model, its operation and the format of its
///   first input. A table's answers at measured points have no error of their own.
/// - A collective that a library runs is in the class of its type, ranks, nodes and source. What it
///   waited for others in a dimension's queue is in it: those are collectives of the same library.
/// - What was recorded has no error of its own; what was changed of it has what Workload::stands
///   says. Of what else there is (rooflines, messages, ideal
///   collectives, loads and stores, waiting) nobody knows how far off it is.
///
/// The same whether ranks stand for others or not. O(path).
///
/// Fills `footings` with the same by what it stands on.
[[nodiscard]] std::vector<ErrorClass> error_classes(const std::vector<CriticalPathNode>& path,
                                                    EngineRun& run, const DurationSources& tellers,
                                                    TimeByProvenance& time_by_provenance);

}  // namespace orrery::sim

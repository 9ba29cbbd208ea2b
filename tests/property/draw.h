// SPDX-License-Identifier: Apache-2.0
//
// Random training jobs: small models under every kind of plan.
#pragma once

#include <cstdint>
#include <random>

#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/program/program.h"

namespace orrery::property {

using Random = std::mt19937_64;

/// A specification that breaks no rule, of at most `world` ranks. Drawn from all families that have
/// layers, all schedules, shardings, recomputations and methods of context parallelism; some of
/// them train adapters only.
[[nodiscard]] workload::Spec draw_legal(Random& random, std::int64_t world = 16);

/// The same job on one rank: everything that cuts it is 1, its batch is the whole batch.
[[nodiscard]] workload::Spec on_one_rank(workload::Spec spec);

/// A cluster of `ranks` devices behind one switch. `latency_ns` and bandwidth as given.
[[nodiscard]] platform::Platform cluster(std::uint64_t ranks, double bandwidth, double latency_ns);

/// A recording of a job: every rank has a graph of its own, every computation some time.
[[nodiscard]] graph::Workload recording_of(const graph::Workload& job, Random& random);

/// What was drawn, for a failing test.
[[nodiscard]] std::string describe(const workload::Spec& spec);

}  // namespace orrery::property

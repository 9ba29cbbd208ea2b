// SPDX-License-Identifier: Apache-2.0
//
// The makers of plans, by file: rings, trees, hosts, exchanges.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/synthesis/algorithms/plan_program.h"
#include "orrery/synthesis/algorithms/planned_algorithms.h"

namespace orrery::synthesis {

inline constexpr PlanBuffer kInput = PlanBuffer::input;
inline constexpr PlanBuffer kOutput = PlanBuffer::output;
inline constexpr PlanBuffer kScratch = PlanBuffer::scratch;

/// The ranks in the order of the ring.
[[nodiscard]] std::vector<std::uint32_t> ring_of(const AlgorithmShape& shape);

// ring_algorithms.cc
[[nodiscard]] Plan ring_reduce_and_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan ring_all_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan ring_reduce_scatter(const AlgorithmShape& shape);
[[nodiscard]] Plan rings_reduce_and_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan rings_all_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan rings_reduce_scatter(const AlgorithmShape& shape);
[[nodiscard]] Plan chain_broadcast(const AlgorithmShape& shape);
[[nodiscard]] Plan chain_reduce(const AlgorithmShape& shape);

// tree_algorithms.cc
[[nodiscard]] Plan bruck_all_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan pat_all_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan pat_reduce_scatter(const AlgorithmShape& shape);
[[nodiscard]] Plan pat_all_reduce(const AlgorithmShape& shape);
[[nodiscard]] Plan double_tree_all_reduce(const AlgorithmShape& shape);
[[nodiscard]] Plan binomial_broadcast(const AlgorithmShape& shape);
[[nodiscard]] Plan binomial_reduce(const AlgorithmShape& shape);

// hierarchical_algorithms.cc
[[nodiscard]] Plan hierarchical_all_reduce(const AlgorithmShape& shape);
[[nodiscard]] Plan hierarchical_all_gather(const AlgorithmShape& shape);
[[nodiscard]] Plan hierarchical_reduce_scatter(const AlgorithmShape& shape);
[[nodiscard]] Plan hierarchical_all_to_all(const AlgorithmShape& shape);

// exchanges.cc
[[nodiscard]] Plan direct_all_to_all(const AlgorithmShape& shape);
[[nodiscard]] Plan bruck_all_to_all(const AlgorithmShape& shape);

}  // namespace orrery::synthesis

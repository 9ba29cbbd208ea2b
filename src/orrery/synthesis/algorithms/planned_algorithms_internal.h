// SPDX-License-Identifier: Apache-2.0
//
// The functions that build plans, by file: rings, trees, hosts, all-to-alls.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/synthesis/algorithms/plan_program.h"
#include "orrery/synthesis/algorithms/planned_algorithms.h"

namespace orrery::synthesis {

inline constexpr PlanBuffer kInput = PlanBuffer::input;
inline constexpr PlanBuffer kOutput = PlanBuffer::output;
inline constexpr PlanBuffer kScratch = PlanBuffer::scratch;

/// The ranks in the order of the ring.
[[nodiscard]] std::vector<std::uint32_t> ring_of(const AlgorithmShape& shape);
/// The number of rings over all rails: the ranks of the smallest host.
[[nodiscard]] std::uint32_t ring_count(const AlgorithmShape& shape);

/// A reduce-scatter by `pass(program, buffer, true)`, an all-gather by `pass(program, buffer,
/// false)`, or an all-reduce by both, over a buffer of `chunks` chunks.
template <class Pass>
[[nodiscard]] Plan scatter_gather_plan(const char* name, CollectiveType type, std::uint32_t ranks,
                                       std::uint32_t chunks, const Pass& pass) {
  const bool scatters = type != CollectiveType::all_gather;
  const PlanBuffer buffer = scatters ? kInput : kOutput;
  PlanProgram program(name, type, ranks, {scatters ? chunks : 0, scatters ? 0 : chunks, 0}, true);
  if (scatters) pass(program, buffer, true);
  if (type != CollectiveType::reduce_scatter) pass(program, buffer, false);
  return std::move(program).finish();
}

// ring_algorithms.cc
[[nodiscard]] Plan ring_plan(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan rings_plan(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan chain_plan(CollectiveType type, const AlgorithmShape& shape);

// tree_algorithms.cc
[[nodiscard]] Plan bruck_all_gather(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan pat_plan(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan double_tree_all_reduce(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan binomial_plan(CollectiveType type, const AlgorithmShape& shape);

// hierarchical_algorithms.cc
[[nodiscard]] Plan hierarchical_plan(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan hierarchical_all_to_all(CollectiveType type, const AlgorithmShape& shape);

// all_to_all_algorithms.cc
[[nodiscard]] Plan direct_all_to_all(CollectiveType type, const AlgorithmShape& shape);
[[nodiscard]] Plan bruck_all_to_all(CollectiveType type, const AlgorithmShape& shape);

}  // namespace orrery::synthesis

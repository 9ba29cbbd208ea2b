// SPDX-License-Identifier: Apache-2.0
//
// What a rank holds at most, as sums whose counts follow from the order of passes alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/columns/data_parallel_shape.h"
#include "orrery/estimate/columns/layer_shape.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::estimate {

/// What is alive at one moment of a stage. A stage's own chunk is the one with an end of the model.
struct StageMoment {
  std::int32_t own_stored = 0, other_stored = 0;    ///< microbatches whose forward pass is done
  std::int32_t own_halfway = 0, other_halfway = 0;  ///< … whose weight half is still to come
  std::int32_t messages = 0;                        ///< on their way
  workload::TaskKind kind = workload::TaskKind::step;
  bool own = false;  ///< the pass that runs is one of the own chunk
};

/// Of stages with such ends, all moments that may hold the most, by Ends.
using StageMoments = std::array<std::vector<StageMoment>, kEnds>;

/// Follows the passes of `spec`'s schedule (workload/memory: walk); what another moment has more of
/// in every respect is left out. Beyond four microbatches for each stage of any schedule but gpipe
/// no more are alive. Errc: those of pipeline_order.
[[nodiscard]] Result<StageMoments> stage_moments(const workload::Spec& spec);
/// As many microbatches as hold as much as so many.
[[nodiscard]] std::int32_t microbatches_alive(workload::ScheduleKind kind, std::int32_t stages,
                                              std::int32_t microbatches);

/// What a chunk holds, as workload/memory's profile says, of layers that are alike.
struct ChunkMemory {
  std::int64_t stored = 0, halfway = 0;
  std::array<std::int64_t, 4> worst{};  ///< while a pass of such a TaskKind runs
  std::int64_t gathered = 0;            ///< input gathered again by a weight half
};
struct ChunkMemoryShape {
  std::int32_t layers = 1;
  Ends ends = Ends::none;
  std::int32_t prefetch = 1, prefetch_backward = 1;
};
/// `beside`: DataWork::beside. O(layers), allocates nothing.
[[nodiscard]] ChunkMemory chunk_memory(const LayerShape& layer, const DataParallelShape& data,
                                       std::span<const std::int64_t> concurrent,
                                       const ChunkMemoryShape& shape);

/// The most that is alive at once, of all of a stage's moments. `copies`: beside gradients, in a
/// step.
[[nodiscard]] std::int64_t peak_bytes(std::span<const StageMoment> forms, const ChunkMemory& own,
                                      const ChunkMemory& other, std::int64_t boundary,
                                      std::int64_t copies);

}  // namespace orrery::estimate

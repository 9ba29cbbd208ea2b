// SPDX-License-Identifier: Apache-2.0
//
// Peak memory of a rank, as sums whose counts depend only on the order of passes.
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

/// Contents of the memory of a stage at one moment. The own chunk of a stage is the one with an end
/// of the model.
struct StageMoment {
  std::int32_t own_stored = 0, other_stored = 0;    ///< microbatches after their forward pass
  std::int32_t own_halfway = 0, other_halfway = 0;  ///< … that await their weight half
  std::int32_t messages = 0;                        ///< in transit
  workload::TaskKind kind = workload::TaskKind::step;
  bool own = false;  ///< the running pass is one of the own chunk
};

/// All moments that can have the peak, by ModelEnds.
using StageMoments = std::array<std::vector<StageMoment>, kModelEnds>;

/// Walks the passes of the schedule of `spec` (workload/memory: walk_tasks) and drops moments that
/// another moment exceeds in every respect. Except for gpipe, more than four microbatches per stage
/// do not change the result. Errc: those of pipeline_order.
[[nodiscard]] Result<StageMoments> stage_moments(const workload::Spec& spec);
/// The smallest number of microbatches with the same peak memory.
[[nodiscard]] std::int32_t microbatches_alive(workload::ScheduleKind kind, std::int32_t stages,
                                              std::int32_t microbatches);

/// Memory of a chunk of identical layers, equal to the profile of workload/memory.
struct ChunkMemory {
  std::int64_t stored = 0, halfway = 0;
  std::array<std::int64_t, 4> worst{};  ///< while a pass runs, by TaskKind
  std::int64_t gathered = 0;            ///< input that a weight half gathers again
};
struct ChunkMemoryShape {
  std::int32_t layers = 1;
  ModelEnds ends = ModelEnds::none;
  std::int32_t prefetch = 1, prefetch_backward = 1;
};
/// `gradient_bytes`: DataParallelWork::gradient_bytes. O(layers), allocates nothing.
[[nodiscard]] ChunkMemory chunk_memory(const LayerShape& layer, const DataParallelShape& data,
                                       std::span<const std::int64_t> gradient_bytes,
                                       const ChunkMemoryShape& shape);

/// Peak over all moments of a stage, in bytes. `copies`: additional fp32 gradients during the
/// optimizer step.
[[nodiscard]] std::int64_t peak_bytes(std::span<const StageMoment> moments, const ChunkMemory& own,
                                      const ChunkMemory& other, std::int64_t boundary,
                                      std::int64_t copies);

}  // namespace orrery::estimate

// SPDX-License-Identifier: Apache-2.0
//
// Writes the passes of one stage. Private to the schedules.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// Writes one stage's passes as loops. A pass of a chunk processes that chunk's microbatches in
/// order; an entire backward pass counts as both halves.
class StageWriter {
 public:
  struct ChunkPass {
    Pass pass = Pass::forward;
    std::uint16_t chunk = 0;
  };

  /// Chunk c processes `microbatches` microbatches, from `first[c]` on.
  StageWriter(std::vector<SlotLoop>& loops, std::uint32_t microbatches,
              std::vector<std::uint32_t> first)
      : loops_(loops),
        microbatches_(microbatches),
        first_(std::move(first)),
        next_(first_.size()) {}

  /// Writes `passes` `rounds` times; each must have another pass or chunk. Omits a pass that
  /// has processed all microbatches of its chunk.
  void repeat(std::uint64_t rounds, std::initializer_list<ChunkPass> passes);

  /// Writes the passes of `round` `rounds` times; each round must process `stride` microbatches in
  /// every pass of every chunk.
  void repeat(std::uint32_t rounds, std::uint32_t stride, const std::function<void()>& round);

 private:
  /// Number of microbatches that the passes of a chunk have processed.
  struct Counts {
    std::uint32_t forward = 0, input = 0, weight = 0;

    /// The counter of `pass`.
    std::uint32_t& of(Pass pass);
  };

  void add(SlotLoop loop);

  std::vector<SlotLoop>& loops_;
  std::size_t closed_ = 0;  // loops before this one are final
  std::uint32_t microbatches_;
  std::vector<std::uint32_t> first_;  // by chunk
  std::vector<Counts> next_;          // by chunk
};

/// A writer for schedules where all chunks process all microbatches.
[[nodiscard]] inline StageWriter stage_writer(PipelineOrder& order, std::uint32_t stage) {
  return {order.loops[stage], order.microbatches, std::vector<std::uint32_t>(order.chunks, 0)};
}

inline constexpr StageWriter::ChunkPass kForwardChunk0{Pass::forward, 0},
    kBackwardChunk0{Pass::backward, 0}, kInputGradChunk0{Pass::input_grad, 0},
    kWeightGradChunk0{Pass::weight_grad, 0};

/// The bubble of schedules whose pipe fills and drains once: (p-1)(F+B).
[[nodiscard]] std::optional<std::int64_t> fill_drain_bubble(const ScheduleSize& size,
                                                            const PassCost& cost);
void one_f_one_b(PipelineOrder& order);

}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// How the passes of one stage are written down. Private to the schedules.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// Writes one stage's passes as loops. A pass of a chunk takes that chunk's microbatches one after
/// the other; a whole backward pass is both halves.
class StageWriter {
 public:
  struct Turn {
    Pass pass = Pass::forward;
    std::uint16_t chunk = 0;
  };

  /// Chunk c goes through `microbatches` of them from `first[c]` on.
  StageWriter(std::vector<SlotLoop>& loops, std::uint32_t microbatches,
              std::vector<std::uint32_t> first)
      : loops_(loops),
        microbatches_(microbatches),
        first_(std::move(first)),
        next_(first_.size()) {}

  /// The turns, `rounds` times over; each is of another pass or chunk. A pass that has been through
  /// all microbatches of its chunk is left out.
  void repeat(std::uint64_t rounds, std::initializer_list<Turn> turns);

  /// What `round` writes, `rounds` times over; each time it takes `stride` microbatches of every
  /// pass of every chunk.
  void repeat(std::uint32_t rounds, std::uint32_t stride, const std::function<void()>& round);

 private:
  /// Microbatches that a chunk's passes have been through.
  struct Counts {
    std::uint32_t forward = 0, input = 0, weight = 0;

    /// The one that `pass` counts with.
    std::uint32_t& of(Pass pass);
  };

  void add(SlotLoop loop);

  std::vector<SlotLoop>& loops_;
  std::size_t closed_ = 0;  // loops before this one stay as they are
  std::uint32_t microbatches_;
  std::vector<std::uint32_t> first_;  // by chunk
  std::vector<Counts> next_;          // by chunk
};

/// All microbatches go through all chunks.
[[nodiscard]] inline StageWriter stage_writer(PipelineOrder& order, std::uint32_t stage) {
  return {order.loops[stage], order.microbatches, std::vector<std::uint32_t>(order.chunks, 0)};
}

inline constexpr StageWriter::Turn kOneForward{Pass::forward, 0}, kOneBackward{Pass::backward, 0},
    kInput{Pass::input_grad, 0}, kWeight{Pass::weight_grad, 0};

/// Of schedules where the pipe fills and drains once: (p-1)(F+B).
[[nodiscard]] std::optional<std::int64_t> fill_drain_bubble(const ScheduleSize& size,
                                                            const PassCost& cost);
void one_f_one_b(PipelineOrder& order);

}  // namespace orrery::workload

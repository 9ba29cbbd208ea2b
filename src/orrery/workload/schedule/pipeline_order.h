// SPDX-License-Identifier: Apache-2.0
//
// Pipeline schedules: in which order each stage runs its microbatches. Pure combinatorics; what a
// pass costs and holds is not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/schedule/schedules.h"

namespace orrery::workload {

enum class Pass : std::uint8_t {
  forward,
  backward,     ///< both halves
  input_grad,   ///< the half that the stage before waits for
  weight_grad,  ///< the other half
};

/// One pass of one microbatch through one chunk.
struct Slot {
  Pass pass = Pass::forward;
  std::uint16_t chunk = 0;
  std::uint32_t microbatch = 0;

  friend bool operator==(const Slot&, const Slot&) = default;
};

/// Passes, `count` times over; `microbatch` grows by `stride` each round.
struct SlotLoop {
  std::vector<Slot> slots;
  std::uint32_t count = 1;
  std::uint32_t stride = 0;
};
/// The loops, pass by pass.
[[nodiscard]] std::vector<Slot> expand_loops(std::span<const SlotLoop> loops);

/// Where a piece of the model lies: virtual stage v of `direction` is chunk `chunk` of rank
/// `stage`.
struct ChunkPlace {
  std::uint32_t stage = 0;
  std::uint16_t chunk = 0;
};

/// A whole schedule: who runs what, in which order.
struct PipelineOrder {
  std::uint32_t stages = 1;
  std::uint32_t chunks = 1;
  std::uint32_t microbatches = 1;
  /// Virtual stages in the order in which activations pass them. Usually one pipe; dual_pipe has
  /// two, each through the whole model, and pipe 1 takes the second half of the microbatches.
  std::vector<std::vector<ChunkPlace>> pipes;
  std::vector<std::vector<SlotLoop>> loops;  ///< by stage: its passes in their order

  /// A stage's passes, one by one.
  [[nodiscard]] std::vector<Slot> slots(std::uint32_t stage) const;
  /// Which pipe a microbatch goes through.
  [[nodiscard]] std::uint32_t pipe_of(std::uint32_t microbatch) const;
};

/// The order of `kind`; of `file`, stages without passes. Interleaved with one chunk is 1F1B.
/// Errc: config_conflict naming the rule (schedules.h); limit_exceeded. O(stages² × chunks),
/// however many microbatches there are.
[[nodiscard]] Result<PipelineOrder> pipeline_order(ScheduleKind kind, std::uint32_t stages,
                                                   std::uint32_t microbatches,
                                                   std::uint32_t chunks);

/// A user's order from text. JSON or YAML: {"chunks": 2, "placement": "round_robin" | "v" |
/// "both_ways", "stages": [["F0", "F1", "B0", …], …]}; a pass is F, B (whole backward), I (input
/// half) or W (weight half), then the microbatch, then for a chunk other than 0 "." and the chunk
/// ("F3.1"). `where` names the file. Errc: config_*, limit_exceeded. `check_order` has passed it.
[[nodiscard]] Result<PipelineOrder> parse_order(std::string_view text, const std::string& where,
                                                std::uint32_t stages, std::uint32_t microbatches);
/// … and back; reading it gives the same order.
[[nodiscard]] std::string order_to_yaml(const PipelineOrder& order);

/// Every microbatch passes every virtual stage once forward and once backward (whole or in two
/// halves), and some order of events runs it to the end: no stage waits in a circle. The error
/// names the first stage and slot that cannot run. Linear in slots.
[[nodiscard]] Result<void> check_order(const PipelineOrder& order, const std::string& where);

/// When passes run if each takes as long as `cost` says and messages take no time. For closed
/// forms, pictures and tests.
struct PipelineTimeline {
  std::vector<std::vector<std::int64_t>> start;  ///< by stage, by slot
  std::vector<std::int64_t> gaps;  ///< by stage: idle time between its first and its last pass
  std::int64_t end = 0;
  std::int64_t busy = 0;  ///< of one stage (all do the same work)
  [[nodiscard]] std::int64_t bubble() const { return end - busy; }
};
[[nodiscard]] PipelineTimeline pipeline_timeline(const PipelineOrder& order, const PassCost& cost);

/// `pipeline_timeline`'s bubble in closed form, in the unit of `cost` (which is per chunk).
/// Sources: docs/reference/schedules.md. Exact where it answers; empty for kind file and where none
/// is known.
[[nodiscard]] std::optional<std::int64_t> bubble_formula(ScheduleKind kind, std::uint32_t stages,
                                                         std::uint32_t microbatches,
                                                         std::uint32_t chunks,
                                                         const PassCost& cost);

/// Most forward passes whose backward pass is still to come, at any one time, on `stage`. With
/// split backward passes a microbatch counts until its weight half is done.
[[nodiscard]] std::uint32_t max_in_flight(const PipelineOrder& order, std::uint32_t stage);

}  // namespace orrery::workload

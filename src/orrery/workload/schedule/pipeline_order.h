// SPDX-License-Identifier: Apache-2.0
//
// Pipeline schedules: the order in which each stage runs its microbatches. Costs and memory of
// passes are not part of it.
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
  backward,     ///< both gradients
  input_grad,   ///< input gradients, for which the previous stage waits
  weight_grad,  ///< weight gradients
};

/// One pass of one microbatch through one chunk.
struct Slot {
  Pass pass = Pass::forward;
  std::uint16_t chunk = 0;
  std::uint32_t microbatch = 0;

  friend bool operator==(const Slot&, const Slot&) = default;
};

/// Passes that run `count` times; `microbatch` grows by `stride` each round.
struct SlotLoop {
  std::vector<Slot> slots;
  std::uint32_t count = 1;
  std::uint32_t stride = 0;
};
/// The passes of `loops`, unrolled.
[[nodiscard]] std::vector<Slot> expand_loops(std::span<const SlotLoop> loops);

/// The place of a virtual stage: chunk `chunk` of stage `stage`.
struct ChunkPlace {
  std::uint32_t stage = 0;
  std::uint16_t chunk = 0;
};

/// A complete schedule: the passes of every stage, in order.
struct PipelineOrder {
  std::uint32_t stages = 1;
  std::uint32_t chunks = 1;
  std::uint32_t microbatches = 1;
  /// The virtual stages of each pipe, in the order in which activations pass them. There is usually
  /// one pipe. dual_pipe has two, each through the entire model; pipe 1 processes the second half
  /// of the microbatches.
  std::vector<std::vector<ChunkPlace>> pipes;
  std::vector<std::vector<SlotLoop>> loops;  ///< passes of each stage, in order

  /// The passes of a stage, unrolled.
  [[nodiscard]] std::vector<Slot> slots(std::uint32_t stage) const;
  /// The pipe that processes a microbatch.
  [[nodiscard]] std::uint32_t pipe_of(std::uint32_t microbatch) const;
};

/// The order of schedule `kind`; for `file`, stages without passes. Interleaved with one chunk
/// equals 1F1B. Errc: config_conflict with the name of the rule (schedules.h); limit_exceeded.
/// O(stages² × chunks), independent of the number of microbatches.
[[nodiscard]] Result<PipelineOrder> pipeline_order(ScheduleKind kind, std::uint32_t stages,
                                                   std::uint32_t microbatches,
                                                   std::uint32_t chunks);

/// Parses a custom order. JSON or YAML: {"chunks": 2, "placement": "round_robin" | "v" |
/// "both_ways", "stages": [["F0", "F1", "B0", …], …]}. A pass is F, B (entire backward pass), I
/// (input half) or W (weight half), then the microbatch, then for chunks other than 0 "." and the
/// chunk ("F3.1"). `where` is the file's name. The result has passed `check_order`. Errc: config_*,
/// limit_exceeded.
[[nodiscard]] Result<PipelineOrder> parse_order(std::string_view text, const std::string& where,
                                                std::uint32_t stages, std::uint32_t microbatches);
/// The text of an order; `parse_order` returns the same order.
[[nodiscard]] std::string order_to_yaml(const PipelineOrder& order);

/// Checks that every microbatch passes every virtual stage once forward and once backward (entirely
/// or in two halves), and that the stages do not deadlock. The error names the first stage and slot
/// that cannot run. Linear in slots.
[[nodiscard]] Result<void> check_order(const PipelineOrder& order, const std::string& where);

/// Start times of passes if each has its `cost` and messages cost no time. For closed forms,
/// figures and tests.
struct PipelineTimeline {
  std::vector<std::vector<std::int64_t>> start;  ///< start time by stage, then by slot
  std::vector<std::int64_t> gaps;  ///< idle time of each stage between its first and its last pass
  std::int64_t end = 0;
  std::int64_t busy = 0;  ///< busy time of one stage (the same for all)
  [[nodiscard]] std::int64_t bubble() const { return end - busy; }
};
[[nodiscard]] PipelineTimeline pipeline_timeline(const PipelineOrder& order, const PassCost& cost);

/// The bubble of `pipeline_timeline` in closed form, in the unit of `cost` (per chunk). Exact.
/// Empty for kind file, and for sizes without a known formula. Sources:
/// docs/reference/schedules.md.
[[nodiscard]] std::optional<std::int64_t> bubble_formula(ScheduleKind kind, std::uint32_t stages,
                                                         std::uint32_t microbatches,
                                                         std::uint32_t chunks,
                                                         const PassCost& cost);

/// The maximum number of microbatches on `stage` that have passed forward and not yet backward.
/// With split backward passes a microbatch counts until its weight half has ended.
[[nodiscard]] std::uint32_t max_in_flight(const PipelineOrder& order, std::uint32_t stage);

}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule/pipeline_order.h"

#include <fmt/format.h>

#include "orrery/core/limits.h"
#include "orrery/workload/schedule/pipeline_order_internal.h"

namespace orrery::workload {
namespace {

/// Checks whether `schedule` supports a size.
Result<void> fits(const ScheduleEntry& schedule, const ScheduleSize& size) {
  const auto refuse = [](std::string what, std::string hint) {
    return fail(Errc::config_conflict, "schedule", std::move(what), std::move(hint));
  };
  const std::int64_t chunks = size.chunks;
  if (schedule.chunks == ChunkCount::two && chunks != 2) {
    return refuse(
        fmt::format("has {} chunks per stage, but {} needs two", chunks, name(schedule.kind)),
        "rule two-chunks: set schedule.chunks to 2");
  }
  if (schedule.chunks == ChunkCount::one && chunks != 1) {
    return refuse(
        fmt::format("has {} chunks per stage, but {} needs one", chunks, name(schedule.kind)),
        "rule one-chunk: set schedule.chunks to 1, or schedule.kind to interleaved");
  }
  for (const ScheduleRule& rule : schedule.rules) {
    if (std::string what = rule.find_violation(size); !what.empty())
      return refuse(std::move(what), fmt::format("rule {}: {}", rule.name, rule.sentence));
  }
  return {};
}

}  // namespace

Result<void> check_schedule_size(std::uint64_t stages, std::uint64_t microbatches,
                                 std::uint64_t chunks) {
  // At most three passes per microbatch and chunk. A slot has 16 bits for the chunk.
  const std::uint64_t maximum = limits::kScheduleSlots / 3;
  if (chunks < 1u << 16 && stages <= maximum / chunks && microbatches <= maximum / chunks / stages)
    return {};
  return fail(Errc::limit_exceeded, "schedule",
              fmt::format("{} stages x {} chunks x {} microbatches are more than {} passes", stages,
                          chunks, microbatches, limits::kScheduleSlots));
}

std::uint32_t PipelineOrder::pipe_of(std::uint32_t microbatch) const {
  if (pipes.size() < 2) return 0;
  return microbatch < microbatches / 2 ? 0 : 1;
}

std::vector<Slot> expand_loops(std::span<const SlotLoop> loops) {
  std::vector<Slot> slots;
  for (const SlotLoop& loop : loops) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (Slot slot : loop.slots) {
        slot.microbatch += round * loop.stride;
        slots.push_back(slot);
      }
    }
  }
  return slots;
}

std::vector<Slot> PipelineOrder::slots(std::uint32_t stage) const {
  return expand_loops(loops[stage]);
}

PipelineOrder empty_order(Placement placement, std::uint32_t stages, std::uint32_t microbatches,
                          std::uint32_t chunks) {
  PipelineOrder order{stages, chunks, microbatches, {}, {}};
  order.loops.resize(stages);
  order.pipes.resize(placement == Placement::bidirectional ? 2 : 1);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const bool both = placement == Placement::bidirectional;
    const bool turned = (both || placement == Placement::v) && c % 2 == 1;
    std::vector<ChunkPlace>& pipe = order.pipes[both ? c : 0];
    for (std::uint32_t s = 0; s < stages; ++s) {
      pipe.push_back({turned ? stages - 1 - s : s, static_cast<std::uint16_t>(c)});
    }
  }
  return order;
}

Result<PipelineOrder> pipeline_order(ScheduleKind kind, std::uint32_t stages,
                                     std::uint32_t microbatches, std::uint32_t chunks) {
  if (stages == 0 || microbatches == 0 || chunks == 0)
    return fail(Errc::config_conflict, "schedule", "has no stages, no microbatches or no chunks");
  if (Result<void> fine = check_schedule_size(stages, microbatches, chunks); !fine)
    return tl::unexpected(fine.error());
  const ScheduleEntry* schedule = find_schedule(kind);
  if (schedule == nullptr) return empty_order(Placement::round_robin, stages, microbatches, chunks);
  if (Result<void> fine = fits(*schedule, {stages, microbatches, chunks}); !fine)
    return tl::unexpected(fine.error());
  PipelineOrder order = empty_order(schedule->placement, stages, microbatches, chunks);
  schedule->order(order);
  return order;
}

std::optional<std::int64_t> fill_drain_bubble(const ScheduleSize& size, const PassCost& cost) {
  return (size.stages - 1) * (cost.forward + cost.input_grad + cost.weight_grad);
}

std::optional<std::int64_t> bubble_formula(ScheduleKind kind, std::uint32_t stages,
                                           std::uint32_t microbatches, std::uint32_t chunks,
                                           const PassCost& cost) {
  const ScheduleEntry* schedule = find_schedule(kind);
  if (schedule == nullptr || chunks == 0) return std::nullopt;
  return schedule->bubble({stages, microbatches, chunks}, cost);
}

}  // namespace orrery::workload

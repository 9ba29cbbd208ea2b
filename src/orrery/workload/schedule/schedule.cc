// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/config/parameters.h"
#include "orrery/core/limits.h"
#include "orrery/workload/schedule/schedule_internal.h"
#include "orrery/workload/schedule/schedule_line.h"

namespace orrery::workload {
namespace {

/// All microbatches go through all chunks.
Line line_of(PipelineOrder& order, std::uint32_t stage) {
  return {order.loops[stage], order.microbatches, std::vector<std::uint32_t>(order.chunks, 0)};
}

constexpr Line::Turn kOneForward{Pass::forward, 0}, kOneBackward{Pass::backward, 0},
    kInput{Pass::input_grad, 0}, kWeight{Pass::weight_grad, 0};

void gpipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    Line line = line_of(order, s);
    line.repeat(order.microbatches, {kOneForward});
    line.repeat(order.microbatches, {kOneBackward});
  }
}

/// Stage s is p-1-s forward passes ahead of its backward passes.
void one_f_one_b(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    Line line = line_of(order, s);
    line.repeat(order.stages - 1 - s, {kOneForward});
    line.repeat(order.microbatches, {kOneForward, kOneBackward});
  }
}

/// One stage of interleaved 1F1B.
class Interleaved {
 public:
  Interleaved(PipelineOrder& order, std::uint32_t stage)
      : p_(order.stages),
        v_(order.chunks),
        passes_(v_ * order.microbatches),
        ahead_(std::min((v_ - 1) * p_ + 2 * (p_ - 1 - stage), passes_)),
        line_(line_of(order, stage)) {}

  void run() {
    const std::uint64_t round = p_ * v_, rounds = (passes_ - ahead_) / round;
    std::uint64_t at = ahead_;
    steps(0, at);
    if (rounds > p_) {  // else a loop for each pair of chunks is shorter
      line_.repeat(static_cast<std::uint32_t>(rounds), static_cast<std::uint32_t>(p_),
                   [&] { steps(at, at + round); });
      at += rounds * round;
    }
    steps(at, passes_ + ahead_);
  }

 private:
  /// Step i is forward pass i and backward pass i - ahead, as far as there are such. Both go
  /// through p microbatches per chunk in turn.
  void steps(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from, next = 0; i < to; i = next) {
      const bool forward = i < passes_, backward = i >= ahead_;
      next = to;
      if (forward) next = std::min(next, i + p_ - i % p_);
      next = std::min(next, backward ? i + p_ - (i - ahead_) % p_ : ahead_);
      const Line::Turn ahead{Pass::forward, chunk(i)};
      const Line::Turn back{Pass::backward,
                            static_cast<std::uint16_t>(backward ? v_ - 1 - chunk(i - ahead_) : 0)};
      if (!backward) line_.repeat(next - i, {ahead});
      if (forward && backward) line_.repeat(next - i, {ahead, back});
      if (!forward) line_.repeat(next - i, {back});
    }
  }

  [[nodiscard]] std::uint16_t chunk(std::uint64_t i) const {
    return static_cast<std::uint16_t>(i % (p_ * v_) / p_);
  }

  std::uint64_t p_, v_, passes_, ahead_;
  Line line_;
};

/// Stage s is (v-1)·p + 2·(p-1-s) forward passes ahead; both directions go through p microbatches
/// per chunk in turn.
void interleaved(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) Interleaved(order, s).run();
}

/// 1F1B whose weight halves come s passes late on stage s, so that every stage holds p microbatches
/// and the stages before wait for input halves only.
void zb_h1(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    const std::uint32_t late = std::min(s, order.microbatches);
    Line line = line_of(order, s);
    line.repeat(order.stages - 1 - s, {kOneForward});
    line.repeat(late, {kOneForward, kInput});
    line.repeat(order.microbatches - late, {kOneForward, kInput, kWeight});
    line.repeat(late, {kWeight});
  }
}

/// The V of Qi et al. (NeurIPS 2024, figure 2) for forward, input and weight passes of equal
/// length.
void zb_v(PipelineOrder& order) {
  const std::uint32_t p = order.stages;
  // The pattern needs 2p-1 microbatches; with fewer of them the rest of it is left out.
  const std::uint32_t m = std::max(2 * p - 1, order.microbatches);
  constexpr Line::Turn up_forward{Pass::forward, 1}, up_input{Pass::input_grad, 1},
      up_weight{Pass::weight_grad, 1};
  for (std::uint32_t s = 0; s < p; ++s) {
    Line line = line_of(order, s);  // chunk 0 goes down the V, chunk 1 up
    line.repeat(2 * (p - s) - 1, {kOneForward});
    line.repeat(s, {up_forward, kOneForward});
    line.repeat(p - s, {up_forward, up_input, up_weight});
    line.repeat(m - p, {kOneForward, kInput, kWeight, up_forward, up_input, up_weight});
    line.repeat(s, {kInput, up_input});
    line.repeat(p - s, {kInput, kWeight});
    line.repeat(s, {up_weight});
    line.repeat(s, {kWeight});
  }
}

/// Refuses what `kind` cannot do.
Result<void> fits(ScheduleKind kind, std::uint32_t stages, std::uint32_t microbatches,
                  std::uint32_t chunks) {
  const auto refuse = [](std::string what, std::string hint) {
    return fail(Errc::config_conflict, "schedule", std::move(what), std::move(hint));
  };
  if (stages == 0 || microbatches == 0 || chunks == 0) {
    return refuse("has no stages, no microbatches or no chunks", {});
  }
  if (Result<void> fine = schedule_fits_memory(stages, microbatches, chunks); !fine) return fine;
  const bool two = kind == ScheduleKind::zb_v || kind == ScheduleKind::dual_pipe;
  if (two && chunks != 2) {
    return refuse(fmt::format("has {} chunks per stage, {} has two", chunks, word(kind)),
                  "rule two-chunks: set schedule.chunks to 2");
  }
  if (!two && kind != ScheduleKind::interleaved && chunks != 1) {
    return refuse(fmt::format("has {} chunks per stage, {} has one", chunks, word(kind)),
                  "rule one-chunk: set schedule.chunks to 1, or schedule.kind to interleaved");
  }
  if (kind == ScheduleKind::interleaved && chunks > 1 && microbatches % stages != 0) {
    return refuse(fmt::format("has {} microbatches on {} stages", microbatches, stages),
                  "rule interleaved-microbatches: they must be a multiple of the stages");
  }
  if (kind != ScheduleKind::dual_pipe) return {};
  if (stages % 2 != 0) {
    return refuse(fmt::format("has {} stages", stages),
                  "rule dual-pipe-stages: stages pair up, their number must be even");
  }
  if (microbatches % 2 != 0 || microbatches / 2 < stages) {
    return refuse(fmt::format("has {} microbatches on {} stages", microbatches, stages),
                  "rule dual-pipe-microbatches: their number must be even and at least twice that "
                  "of the stages");
  }
  return {};
}

}  // namespace

std::string_view word(ScheduleKind kind) {
  return config::word_of(kind);
}

Result<void> schedule_fits_memory(std::uint64_t stages, std::uint64_t microbatches,
                                  std::uint64_t chunks) {
  // Three passes at most for each. A slot numbers chunks with 16 bits.
  const std::uint64_t most = limits::kScheduleSlots / 3;
  if (chunks < 1u << 16 && stages <= most / chunks && microbatches <= most / chunks / stages)
    return {};
  return fail(Errc::limit_exceeded, "schedule",
              fmt::format("{} stages x {} chunks x {} microbatches are more than {} passes", stages,
                          chunks, microbatches, limits::kScheduleSlots));
}

std::uint32_t PipelineOrder::pipe_of(std::uint32_t microbatch) const {
  if (pipes.size() < 2) return 0;
  return microbatch < microbatches / 2 ? 0 : 1;
}

std::vector<Slot> written_out(std::span<const SlotLoop> loops) {
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
  return written_out(loops[stage]);
}

PipelineOrder empty_order(Placement placement, std::uint32_t stages, std::uint32_t microbatches,
                          std::uint32_t chunks) {
  PipelineOrder order{stages, chunks, microbatches, {}, {}};
  order.loops.resize(stages);
  order.pipes.resize(placement == Placement::both_ways ? 2 : 1);
  for (std::uint32_t c = 0; c < chunks; ++c) {
    const bool both = placement == Placement::both_ways;
    const bool turned = (both || placement == Placement::v) && c % 2 == 1;
    std::vector<Place>& pipe = order.pipes[both ? c : 0];
    for (std::uint32_t s = 0; s < stages; ++s) {
      pipe.push_back({turned ? stages - 1 - s : s, static_cast<std::uint16_t>(c)});
    }
  }
  return order;
}

Result<PipelineOrder> pipeline_order(ScheduleKind kind, std::uint32_t stages,
                                     std::uint32_t microbatches, std::uint32_t chunks) {
  if (Result<void> fine = fits(kind, stages, microbatches, chunks); !fine) {
    return tl::unexpected(fine.error());
  }
  const Placement placement = kind == ScheduleKind::zb_v        ? Placement::v
                              : kind == ScheduleKind::dual_pipe ? Placement::both_ways
                                                                : Placement::round_robin;
  PipelineOrder order = empty_order(placement, stages, microbatches, chunks);
  switch (kind) {
    case ScheduleKind::gpipe:
      gpipe(order);
      break;
    case ScheduleKind::interleaved:
      if (chunks > 1) {
        interleaved(order);
        break;
      }
      [[fallthrough]];  // with one chunk there is nothing to interleave
    case ScheduleKind::one_f_one_b:
      one_f_one_b(order);
      break;
    case ScheduleKind::zb_h1:
      zb_h1(order);
      break;
    case ScheduleKind::zb_v:
      zb_v(order);
      break;
    case ScheduleKind::dual_pipe:
      dual_pipe(order);
      break;
    case ScheduleKind::file:
      break;
  }
  return order;
}

}  // namespace orrery::workload

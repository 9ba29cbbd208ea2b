// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/limits.h"
#include "orrery/workload/schedule_internal.h"

namespace orrery::workload {
namespace {

/// Writes one stage's passes.
class Line {
 public:
  /// Takes microbatches below `microbatches` only.
  Line(std::vector<Slot>& slots, std::uint32_t microbatches)
      : slots_(slots), microbatches_(microbatches) {}

  void add(Pass pass, std::uint32_t chunk, std::uint32_t microbatch) {
    if (microbatch >= microbatches_) return;
    slots_.push_back({pass, static_cast<std::uint16_t>(chunk), microbatch});
  }

 private:
  std::vector<Slot>& slots_;
  std::uint32_t microbatches_;
};

void gpipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    Line line(order.slots[s], order.microbatches);
    for (std::uint32_t b = 0; b < order.microbatches; ++b) line.add(Pass::forward, 0, b);
    for (std::uint32_t b = 0; b < order.microbatches; ++b) line.add(Pass::backward, 0, b);
  }
}

/// Stage s is p-1-s forward passes ahead of its backward passes.
void one_f_one_b(PipelineOrder& order) {
  const std::uint32_t m = order.microbatches;
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    Line line(order.slots[s], m);
    const std::uint32_t ahead = std::min(order.stages - 1 - s, m);
    for (std::uint32_t b = 0; b < ahead; ++b) line.add(Pass::forward, 0, b);
    for (std::uint32_t b = 0; b < m; ++b) {
      line.add(Pass::forward, 0, b + ahead);
      line.add(Pass::backward, 0, b);
    }
  }
}

/// Stage s is (v-1)·p + 2·(p-1-s) forward passes ahead; both directions go through p microbatches
/// per chunk in turn.
void interleaved(PipelineOrder& order) {
  const std::uint64_t p = order.stages, v = order.chunks;
  const std::uint64_t passes = v * order.microbatches;
  const auto chunk = [&](std::uint64_t i) { return static_cast<std::uint32_t>(i % (p * v) / p); };
  const auto microbatch = [&](std::uint64_t i) {
    return static_cast<std::uint32_t>(i / (p * v) * p + i % p);
  };
  for (std::uint64_t s = 0; s < p; ++s) {
    Line line(order.slots[s], order.microbatches);
    const std::uint64_t ahead = std::min((v - 1) * p + 2 * (p - 1 - s), passes);
    for (std::uint64_t i = 0; i < passes + ahead; ++i) {
      if (i < passes) line.add(Pass::forward, chunk(i), microbatch(i));
      if (i < ahead) continue;
      const auto back = static_cast<std::uint32_t>(v - 1 - chunk(i - ahead));
      line.add(Pass::backward, back, microbatch(i - ahead));
    }
  }
}

/// 1F1B whose weight halves come s passes late on stage s, so that every stage holds p microbatches
/// and the stages before wait for input halves only.
void zb_h1(PipelineOrder& order) {
  const std::uint32_t m = order.microbatches;
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    Line line(order.slots[s], m);
    const std::uint32_t ahead = std::min(order.stages - 1 - s, m);
    const std::uint32_t late = std::min(s, m);
    for (std::uint32_t b = 0; b < ahead; ++b) line.add(Pass::forward, 0, b);
    for (std::uint32_t b = 0; b < m; ++b) {
      line.add(Pass::forward, 0, b + ahead);
      line.add(Pass::input_grad, 0, b);
      if (b >= late) line.add(Pass::weight_grad, 0, b - late);
    }
    for (std::uint32_t b = m - late; b < m; ++b) line.add(Pass::weight_grad, 0, b);
  }
}

/// Takes passes off a chunk one microbatch after the other.
class Counter {
 public:
  Counter(Line& line, std::uint32_t chunk) : line_(line), chunk_(chunk) {}

  void forward() { line_.add(Pass::forward, chunk_, forward_++); }
  void input_grad() { line_.add(Pass::input_grad, chunk_, input_++); }
  void weight_grad() { line_.add(Pass::weight_grad, chunk_, weight_++); }
  [[nodiscard]] std::uint32_t forwards() const { return forward_; }
  [[nodiscard]] bool owes_weights() const { return weight_ < input_; }

 private:
  Line& line_;
  std::uint32_t chunk_, forward_ = 0, input_ = 0, weight_ = 0;
};

/// The V of Qi et al. (NeurIPS 2024, figure 2) for forward, input and weight passes of equal
/// length.
void zb_v(PipelineOrder& order) {
  const std::uint32_t p = order.stages;
  // The pattern needs 2p-1 microbatches; with fewer of them the rest of it is left out.
  const std::uint32_t m = std::max(2 * p - 1, order.microbatches);
  for (std::uint32_t s = 0; s < p; ++s) {
    Line line(order.slots[s], order.microbatches);
    Counter down(line, 0), up(line, 1);
    for (std::uint32_t i = 0; i < 2 * (p - s) - 1; ++i) down.forward();
    for (std::uint32_t i = 0; i < s; ++i) up.forward(), down.forward();
    for (std::uint32_t i = 0; i < p - s; ++i) up.forward(), up.input_grad(), up.weight_grad();
    while (up.forwards() < m) {
      if (down.forwards() < m) down.forward();
      down.input_grad(), down.weight_grad();
      up.forward(), up.input_grad(), up.weight_grad();
    }
    for (std::uint32_t i = 0; i < s; ++i) down.input_grad(), up.input_grad();
    for (std::uint32_t i = 0; i < p - s; ++i) down.input_grad(), down.weight_grad();
    while (up.owes_weights()) up.weight_grad();
    while (down.owes_weights()) down.weight_grad();
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
  for (const auto& [text, each] : config::Words<ScheduleKind>::names) {
    if (each == kind) return text;
  }
  return "?";
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

PipelineOrder empty_order(Placement placement, std::uint32_t stages, std::uint32_t microbatches,
                          std::uint32_t chunks) {
  PipelineOrder order{stages, chunks, microbatches, {}, {}};
  order.slots.resize(stages);
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

// SPDX-License-Identifier: Apache-2.0
//
// Runs an order: whether it completes, when its passes run, and how many microbatches are in
// flight.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/workload/schedule/pipeline_order_internal.h"

namespace orrery::workload {
namespace {

constexpr std::int64_t kNotYet = -1;

/// The time at which each microbatch leaves each virtual stage.
class Ends {
 public:
  Ends(std::uint64_t virtual_stages, std::uint32_t microbatches)
      : microbatches_(microbatches), ends_(virtual_stages * microbatches, kNotYet) {}

  std::int64_t& at(std::uint64_t virtual_stage, std::uint32_t microbatch) {
    return ends_[virtual_stage * microbatches_ + microbatch];
  }

 private:
  std::uint64_t microbatches_;
  std::vector<std::int64_t> ends_;
};

/// The passes of all stages, by stage.
std::vector<std::vector<Slot>> all_slots(const PipelineOrder& order) {
  std::vector<std::vector<Slot>> all;
  for (std::uint32_t s = 0; s < order.stages; ++s) all.push_back(order.slots(s));
  return all;
}

/// Runs an order until it ends or deadlocks.
class Player {
 public:
  /// `slots`: all_slots of the order.
  Player(const PipelineOrder& order, const std::vector<std::vector<Slot>>& slots, PassCost cost)
      : order_(order),
        slots_(slots),
        cost_(cost),
        virtual_stages_(order),
        forward_(order.pipes[0].size(), order.microbatches),
        backward_(order.pipes[0].size(), order.microbatches),
        clock_(order.stages, 0),
        queued_(order.stages, 1),
        ready_(order.stages) {
    for (std::uint32_t s = 0; s < order.stages; ++s) ready_[s] = order.stages - 1 - s;
    timeline_.start.resize(order.stages);
    timeline_.gaps.resize(order.stages, 0);
    for (std::uint32_t s = 0; s < order.stages; ++s) {
      timeline_.start[s].reserve(slots[s].size());
    }
  }

  void run() {
    while (!ready_.empty()) {
      const std::uint32_t stage = ready_.back();
      ready_.pop_back();
      queued_[stage] = 0;
      while (done(stage) < slots_[stage].size() && step(stage)) {
      }
    }
    for (std::uint32_t s = 0; s < order_.stages; ++s) {
      timeline_.end = std::max(timeline_.end, clock_[s]);
    }
    for (const Slot& slot : slots_[0]) timeline_.busy += length(slot.pass);
  }

  [[nodiscard]] std::size_t done(std::uint32_t stage) const {
    return timeline_.start[stage].size();
  }
  [[nodiscard]] PipelineTimeline take() { return std::move(timeline_); }

 private:
  [[nodiscard]] std::int64_t length(Pass pass) const {
    switch (pass) {
      case Pass::forward:
        return cost_.forward;
      case Pass::backward:
        return cost_.input_grad + cost_.weight_grad;
      case Pass::input_grad:
        return cost_.input_grad;
      case Pass::weight_grad:
        break;
    }
    return cost_.weight_grad;
  }

  /// Runs the next slot of `stage` if its inputs are available.
  bool step(std::uint32_t stage) {
    const Slot& slot = slots_[stage][done(stage)];
    const std::uint32_t pipe = order_.pipe_of(slot.microbatch);
    const std::vector<ChunkPlace>& places = order_.pipes[pipe];
    const std::uint32_t k = virtual_stages_.of(pipe, stage, slot.chunk);
    std::int64_t from = 0;
    if (slot.pass == Pass::forward) {
      if (k > 0) from = forward_.at(k - 1, slot.microbatch);
    } else if (slot.pass != Pass::weight_grad) {
      const bool last = k + 1 == places.size();
      from = last ? forward_.at(k, slot.microbatch) : backward_.at(k + 1, slot.microbatch);
    }
    if (from == kNotYet) return false;

    const std::int64_t start = std::max(from, clock_[stage]);
    if (done(stage) > 0) timeline_.gaps[stage] += start - clock_[stage];
    timeline_.start[stage].push_back(start);
    clock_[stage] = start + length(slot.pass);
    if (slot.pass == Pass::forward) {
      forward_.at(k, slot.microbatch) = clock_[stage];
      if (k + 1 < places.size()) wake(places[k + 1].stage);
    } else if (slot.pass != Pass::weight_grad) {
      backward_.at(k, slot.microbatch) = clock_[stage];
      if (k > 0) wake(places[k - 1].stage);
    }
    return true;
  }

  void wake(std::uint32_t stage) {
    if (queued_[stage]) return;
    queued_[stage] = 1;
    ready_.push_back(stage);
  }

  const PipelineOrder& order_;
  const std::vector<std::vector<Slot>>& slots_;
  PassCost cost_;
  VirtualStages virtual_stages_;
  Ends forward_, backward_;  // a virtual stage uses only the microbatches of one pipe
  std::vector<std::int64_t> clock_;
  std::vector<char> queued_;
  std::vector<std::uint32_t> ready_;
  PipelineTimeline timeline_;
};

std::string slot_location(const std::string& where, std::size_t stage, std::size_t slot) {
  return fmt::format("{}:/stages/{}/{}", where, stage, slot);
}

/// Bits of the passes that a microbatch has completed in one chunk of one stage.
enum Made : std::uint8_t { kMadeForward = 1, kMadeInput = 2, kMadeWeight = 4, kMadeAll = 7 };

/// Records each pass once, and checks the order within its stage.
class Completeness {
 public:
  Completeness(const PipelineOrder& order, const std::string& where)
      : order_(order), where_(where), virtual_stages_(order) {}

  [[nodiscard]] Result<void> stage(std::uint32_t stage, const std::vector<Slot>& slots) {
    made_.assign(std::size_t{order_.chunks} * order_.microbatches, 0);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (const std::string wrong = note(stage, slots[i]); !wrong.empty()) {
        return fail(Errc::config_conflict, slot_location(where_, stage, i),
                    fmt::format("stage {}, slot {}: {} {}", stage, i, slot_text(slots[i]), wrong));
      }
    }
    return whole(stage, slots.size());
  }

 private:
  [[nodiscard]] std::uint8_t& made(const Slot& slot) {
    return made_[std::size_t{slot.chunk} * order_.microbatches + slot.microbatch];
  }

  /// Returns the error of a pass, or an empty text.
  [[nodiscard]] std::string note(std::uint32_t stage, const Slot& slot) {
    if (slot.microbatch >= order_.microbatches) {
      return fmt::format("has a microbatch that does not exist: microbatches are 0 to {}",
                         order_.microbatches - 1);
    }
    if (slot.chunk >= order_.chunks) {
      return fmt::format("has a chunk that does not exist: chunks are 0 to {}", order_.chunks - 1);
    }
    if (virtual_stages_.of(order_.pipe_of(slot.microbatch), stage, slot.chunk) ==
        VirtualStages::kNone) {
      return "has a chunk that its microbatch does not pass";
    }
    std::uint8_t& seen = made(slot);
    std::uint8_t adds = kMadeForward, needs = 0;
    if (slot.pass == Pass::backward) adds = kMadeInput | kMadeWeight, needs = kMadeForward;
    if (slot.pass == Pass::input_grad) adds = kMadeInput, needs = kMadeForward;
    if (slot.pass == Pass::weight_grad) adds = kMadeWeight, needs = kMadeForward | kMadeInput;
    if ((seen & adds) != 0) return "appears twice";
    if ((seen & needs) != needs) {
      return (seen & kMadeForward) == 0 ? "comes before its forward pass"
                                        : "comes before its input half";
    }
    seen |= adds;
    return {};
  }

  /// Checks that no pass is missing at the end of a stage.
  [[nodiscard]] Result<void> whole(std::uint32_t stage, std::size_t end) const {
    for (std::uint32_t c = 0; c < order_.chunks; ++c) {
      for (std::uint32_t b = 0; b < order_.microbatches; ++b) {
        if (virtual_stages_.of(order_.pipe_of(b), stage, c) == VirtualStages::kNone) continue;
        const std::uint8_t seen = made_[std::size_t{c} * order_.microbatches + b];
        if (seen == kMadeAll) continue;
        Slot slot{Pass::forward, static_cast<std::uint16_t>(c), b};
        if ((seen & kMadeForward) != 0) slot.pass = Pass::backward;
        if ((seen & kMadeInput) != 0) slot.pass = Pass::weight_grad;
        return fail(
            Errc::config_conflict, slot_location(where_, stage, end),
            fmt::format("stage {}, slot {}: ends without {}", stage, end, slot_text(slot)),
            "list one forward and one backward pass of every microbatch through every chunk");
      }
    }
    return {};
  }

  const PipelineOrder& order_;
  const std::string& where_;
  VirtualStages virtual_stages_;
  std::vector<std::uint8_t> made_;
};

}  // namespace

VirtualStages::VirtualStages(const PipelineOrder& order)
    : stages_(order.stages),
      chunks_(order.chunks),
      index_(order.pipes.size() * order.stages * order.chunks, kNone) {
  for (std::size_t d = 0; d < order.pipes.size(); ++d) {
    for (std::uint32_t k = 0; k < order.pipes[d].size(); ++k) {
      const ChunkPlace& place = order.pipes[d][k];
      index_[(d * stages_ + place.stage) * chunks_ + place.chunk] = k;
    }
  }
}

Result<void> check_order(const PipelineOrder& order, const std::string& where) {
  ORRERY_CHECK(order.loops.size() == order.stages && !order.pipes.empty());
  if (Result<void> fine = check_schedule_size(order.stages, order.microbatches, order.chunks);
      !fine) {
    return fine;
  }
  const std::vector<std::vector<Slot>> slots = all_slots(order);
  Completeness completeness(order, where);
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    if (Result<void> fine = completeness.stage(s, slots[s]); !fine) return fine;
  }
  Player player(order, slots, {});
  player.run();
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    const std::size_t i = player.done(s);
    if (i == slots[s].size()) continue;
    const Slot& slot = slots[s][i];
    const bool forward = slot.pass == Pass::forward;
    return fail(Errc::config_conflict, slot_location(where, s, i),
                fmt::format("stage {}, slot {}: {} never starts: the stages deadlock", s, i,
                            slot_text(slot)),
                fmt::format("it needs a message from the stage {} it, and that stage waits for a "
                            "later pass of this list",
                            forward ? "before" : "after"));
  }
  return {};
}

PipelineTimeline pipeline_timeline(const PipelineOrder& order, const PassCost& cost) {
  const std::vector<std::vector<Slot>> slots = all_slots(order);
  Player player(order, slots, cost);
  player.run();
  return player.take();
}

std::uint32_t max_in_flight(const PipelineOrder& order, std::uint32_t stage) {
  std::uint32_t now = 0, maximum = 0;
  for (const Slot& slot : order.slots(stage)) {
    if (slot.pass == Pass::forward) maximum = std::max(maximum, ++now);
    if (slot.pass == Pass::backward || slot.pass == Pass::weight_grad) --now;
  }
  return maximum;
}

}  // namespace orrery::workload

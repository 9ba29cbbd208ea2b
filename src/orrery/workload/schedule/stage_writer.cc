// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/schedule/stage_writer.h"

#include <algorithm>
#include <utility>

namespace orrery::workload {

std::uint32_t& StageWriter::Counts::of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return forward;
    case Pass::backward:
    case Pass::input_grad:
      return input;
    case Pass::weight_grad:
      break;
  }
  return weight;
}

void StageWriter::add(SlotLoop loop) {
  if (loop.count > 1 || loops_.size() == closed_ || loops_.back().count > 1) {
    loops_.push_back(std::move(loop));
  } else {
    auto& before = loops_.back().slots;
    before.insert(before.end(), loop.slots.begin(), loop.slots.end());
  }
}

void StageWriter::repeat(std::uint64_t rounds, std::initializer_list<ChunkPass> passes) {
  while (rounds > 0) {
    SlotLoop loop{
        {}, static_cast<std::uint32_t>(std::min<std::uint64_t>(rounds, microbatches_)), 1};
    for (const auto& [pass, chunk] : passes) {  // until one of them has no microbatches left
      const std::uint32_t next = next_[chunk].of(pass);
      if (next == microbatches_) continue;
      loop.slots.push_back({pass, chunk, first_[chunk] + next});
      loop.count = std::min(loop.count, microbatches_ - next);
    }
    if (loop.slots.empty()) return;
    for (const Slot& slot : loop.slots) {
      next_[slot.chunk].of(slot.pass) += loop.count;
      if (slot.pass == Pass::backward) next_[slot.chunk].weight += loop.count;
    }
    rounds -= loop.count;
    add(std::move(loop));
  }
}

void StageWriter::repeat(std::uint32_t rounds, std::uint32_t stride,
                         const std::function<void()>& round) {
  closed_ = loops_.size();
  round();
  const auto first = loops_.begin() + static_cast<std::ptrdiff_t>(closed_);
  SlotLoop whole{expand_loops(std::span(loops_).subspan(closed_)), rounds, stride};
  loops_.erase(first, loops_.end());
  for (Counts& counts : next_) {
    for (std::uint32_t* each : {&counts.forward, &counts.input, &counts.weight})
      *each += (rounds - 1) * stride;
  }
  add(std::move(whole));
}

}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/algorithms/plan_program.h"

#include <algorithm>

#include "orrery/core/check.h"

namespace orrery::synthesis {

PlanProgram::PlanProgram(std::string name, CollectiveType collective, std::uint32_t ranks,
                         std::array<std::uint32_t, kPlanBuffers> chunks, bool in_place) {
  plan_.name = std::move(name);
  plan_.collective = collective;
  plan_.collective_name = plan_name(collective);
  plan_.protocol = "Simple";
  plan_.in_place = in_place;
  plan_.out_of_place = !in_place;
  plan_.ranks.resize(ranks);
  touched_.resize(ranks * kPlanBuffers);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    plan_.ranks[rank].chunks = chunks;
    for (std::size_t buffer = 0; buffer < kPlanBuffers; ++buffer)
      touched_[rank * kPlanBuffers + buffer].resize(chunks[buffer]);
  }
}

PlanProgram::Touched& PlanProgram::touched(const PlanSpan& span, std::uint32_t chunk) {
  auto& buffer = touched_[span.rank * kPlanBuffers + static_cast<std::size_t>(span.buffer)];
  ORRERY_CHECK(span.first + chunk < buffer.size());
  return buffer[span.first + chunk];
}

// Where the end's next step will be.
StepPosition PlanProgram::place(const End& end) {
  const auto [rank, peer, channel, sends] = end;
  auto& blocks = plan_.ranks[rank].blocks;
  const auto [entry, added] = blocks_.try_emplace(end, static_cast<std::uint32_t>(blocks.size()));
  if (added) {
    PlanBlock& made = blocks.emplace_back();
    made.channel = channel;
    if (peer != rank) (sends ? made.to : made.from) = peer;
  }
  return {rank, entry->second, static_cast<std::uint32_t>(blocks[entry->second].steps.size())};
}

void PlanProgram::reads(const PlanSpan& span, const StepPosition& at, PlanStep& step) {
  step.reads.push_back(span);
  for (std::uint32_t c = 0; c < span.count; ++c) {
    Touched& chunk = touched(span, c);
    if (chunk.written) step.after.push_back(chunk.writer);
    chunk.readers.push_back(at);
  }
}

void PlanProgram::writes(const PlanSpan& span, const StepPosition& at, PlanStep& step) {
  step.writes.push_back(span);
  for (std::uint32_t c = 0; c < span.count; ++c) {
    Touched& chunk = touched(span, c);
    if (chunk.written) step.after.push_back(chunk.writer);
    step.after.insert(step.after.end(), chunk.readers.begin(), chunk.readers.end());
    chunk = {true, at, {}};
  }
}

// A block's steps follow each other by themselves.
void PlanProgram::put(PlanStep step, const StepPosition& at) {
  std::erase_if(step.after, [&](const StepPosition& one) { return one.block == at.block; });
  std::sort(step.after.begin(), step.after.end());
  // Of one block the last is enough.
  std::vector<StepPosition> last;
  for (const StepPosition& one : step.after) {
    if (!last.empty() && last.back().block == one.block)
      last.back() = one;
    else
      last.push_back(one);
  }
  step.after = std::move(last);
  plan_.ranks[at.rank].blocks[at.block].steps.push_back(std::move(step));
}

void PlanProgram::send(const PlanSpan& from, const PlanSpan& to, bool adds, std::uint32_t channel) {
  ORRERY_CHECK(from.rank != to.rank && from.count == to.count && from.count > 0);
  plan_.channels = std::max(plan_.channels, channel + 1);
  PlanStep sent, got;
  sent.type = StepType::send;
  sent.sends = true;
  got.type = adds ? StepType::receive_reduce_copy : StepType::receive;
  got.receives = true;
  sent.count = got.count = from.count;
  const StepPosition there = place({from.rank, to.rank, channel, true});
  reads(from, there, sent);
  put(std::move(sent), there);
  const StepPosition here = place({to.rank, from.rank, channel, false});
  if (adds) reads(to, here, got);
  writes(to, here, got);
  put(std::move(got), here);
}

void PlanProgram::copy(const PlanSpan& from, const PlanSpan& to) {
  ORRERY_CHECK(from.rank == to.rank && from.count == to.count && from.count > 0);
  PlanStep step;
  step.type = StepType::copy;
  step.count = from.count;
  const StepPosition at = place({from.rank, from.rank, 0, true});
  reads(from, at, step);
  writes(to, at, step);
  put(std::move(step), at);
}

Plan PlanProgram::finish() && { return std::move(plan_); }

}  // namespace orrery::synthesis

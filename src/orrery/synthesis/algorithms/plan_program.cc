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
  accesses_.resize(ranks * kPlanBuffers);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    plan_.ranks[rank].chunks = chunks;
    for (std::size_t buffer = 0; buffer < kPlanBuffers; ++buffer)
      accesses_[rank * kPlanBuffers + buffer].resize(chunks[buffer]);
  }
}

PlanProgram::ChunkAccesses& PlanProgram::accesses_of(const PlanSpan& span, std::uint32_t chunk) {
  auto& buffer = accesses_[span.rank * kPlanBuffers + static_cast<std::size_t>(span.buffer)];
  ORRERY_CHECK(span.first + chunk < buffer.size());
  return buffer[span.first + chunk];
}

// The position of the end's next step.
StepPosition PlanProgram::next_position(const ConnectionEnd& end) {
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

void PlanProgram::add_read(const PlanSpan& span, const StepPosition& at, PlanStep& step) {
  step.reads.push_back(span);
  for (std::uint32_t c = 0; c < span.count; ++c) {
    ChunkAccesses& chunk = accesses_of(span, c);
    if (chunk.is_written) step.after.push_back(chunk.writer);
    chunk.readers.push_back(at);
  }
}

void PlanProgram::add_write(const PlanSpan& span, const StepPosition& at, PlanStep& step) {
  step.writes.push_back(span);
  for (std::uint32_t c = 0; c < span.count; ++c) {
    ChunkAccesses& chunk = accesses_of(span, c);
    if (chunk.is_written) step.after.push_back(chunk.writer);
    step.after.insert(step.after.end(), chunk.readers.begin(), chunk.readers.end());
    chunk = {true, at, {}};
  }
}

// Adds a step, without dependencies within its block: these steps are already in order.
void PlanProgram::append(PlanStep step, const StepPosition& at) {
  std::erase_if(step.after, [&](const StepPosition& one) { return one.block == at.block; });
  std::sort(step.after.begin(), step.after.end());
  // For each block, a dependency on its last step is enough.
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
  const StepPosition there = next_position({from.rank, to.rank, channel, true});
  add_read(from, there, sent);
  append(std::move(sent), there);
  const StepPosition here = next_position({to.rank, from.rank, channel, false});
  if (adds) add_read(to, here, got);
  add_write(to, here, got);
  append(std::move(got), here);
}

void PlanProgram::copy(const PlanSpan& from, const PlanSpan& to) {
  ORRERY_CHECK(from.rank == to.rank && from.count == to.count && from.count > 0);
  PlanStep step;
  step.type = StepType::copy;
  step.count = from.count;
  const StepPosition at = next_position({from.rank, from.rank, 0, true});
  add_read(from, at, step);
  add_write(to, at, step);
  append(std::move(step), at);
}

Plan PlanProgram::finish() && { return std::move(plan_); }

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/chunk_pool.h"

#include <utility>

namespace orrery::sim {

Stream& ChunkPool::open(std::uint32_t communicator, std::uint32_t rank, graph::NodeId node) {
  const Communicator& group = run_.communicators[communicator];
  if (communicator >= sequences_.size()) sequences_.resize(run_.communicators.all().size());
  ChunkSequence& sequence = sequences_[communicator];
  const std::uint32_t representative = group.representative_of_rank(rank);
  if (sequence.next.empty()) sequence.next.resize(group.representative_count());
  const std::uint32_t number = sequence.next[representative]++;
  if (number == sequence.first + sequence.blocks.size()) {
    sequence.blocks.push_back(new_block(communicator));
    blocks_[sequence.blocks.back()]->order = {run_.now(), node, group.precedence, number};
  }
  return at(StreamId{sequence.blocks[number - sequence.first], representative});
}

std::uint32_t ChunkPool::new_block(std::uint32_t communicator) {
  const Communicator& group = run_.communicators[communicator];
  ChunkSequence& sequence = sequences_[communicator];
  auto number = static_cast<std::uint32_t>(blocks_.size());
  if (free_blocks_.empty()) {
    blocks_.push_back(std::make_unique<Chunk>());
    streams_.push_back(nullptr);
  } else {
    number = free_blocks_.back();
    free_blocks_.pop_back();
  }
  Chunk& block = *blocks_[number];
  block.communicator = communicator;
  block.representatives = group.representative_count();
  block.number = sequence.first + static_cast<std::uint32_t>(sequence.blocks.size());
  if (sequence.spare.empty()) {
    block.streams.resize(block.representatives);
  } else {
    block.streams = std::move(sequence.spare.back());
    sequence.spare.pop_back();
  }
  for (std::uint32_t representative = 0; representative < block.representatives; ++representative) {
    Stream& stream = block.streams[representative];
    stream = Stream{};
    stream.id = {number, representative};
    const Representative who = group.representative_at(representative);
    stream.member = who.member;
    stream.rank = who.rank;
  }
  streams_[number] = block.streams.data();
  return number;
}

void ChunkPool::close(const Stream& stream) {
  Chunk& block = of(stream);
  if (++block.done == block.representatives) drop(stream.id.block);
}

// All members have completed the chunk. Under Orrery rules, none of its messages can still be in
// flight, and the next chunk reuses its storage.
void ChunkPool::drop(std::uint32_t number) {
  Chunk& block = *blocks_[number];
  streams_[number] = nullptr;
  if (run_.policy.match_by_size || run_.platform.collectives.rendezvous) {
    block.streams = {};
    block.dims_order = {};
    block.history = {};
    return;
  }
  ChunkSequence& sequence = sequences_[block.communicator];
  sequence.spare.push_back(std::move(block.streams));
  sequence.blocks[block.number - sequence.first] = kNone;
  std::size_t done = 0;
  while (done < sequence.blocks.size() && sequence.blocks[done] == kNone) ++done;
  if (done > 32 && 2 * done > sequence.blocks.size()) {
    sequence.blocks.erase(sequence.blocks.begin(),
                          sequence.blocks.begin() + static_cast<std::ptrdiff_t>(done));
    sequence.first += static_cast<std::uint32_t>(done);
  }
  std::vector<RingArrival> ring_arrivals = std::move(block.ring_arrivals);
  ring_arrivals.clear();
  block = Chunk{};
  block.ring_arrivals = std::move(ring_arrivals);
  free_blocks_.push_back(number);
}

void ChunkPool::save(StateWriter& to) const {
  to(sequences_, free_blocks_, static_cast<std::uint64_t>(blocks_.size()));
  for (const auto& block : blocks_) {
    const auto* plan = static_cast<const ChunkPlan*>(block->plan);
    to(*block, plan == nullptr ? kNone : plan->number, block->streams);
    for (const Stream& stream : block->streams)
      to(stream.spec == nullptr ? kNone : stream.spec->id);
  }
}

void ChunkPool::load(StateReader& from, const CollectivePlanner& planner) {
  from(sequences_, free_blocks_);
  blocks_.clear();
  streams_.clear();
  for (std::size_t left = from.count(); left > 0 && !from.failed(); --left) {
    Chunk& block = *blocks_.emplace_back(std::make_unique<Chunk>());
    from(block);
    const auto plan = from.take<std::uint32_t>();
    block.plan = planner.plan_numbered(plan);
    from.require((plan == kNone) == (block.plan == nullptr));
    from(block.streams);
    for (Stream& stream : block.streams) {
      const auto spec = from.take<std::uint32_t>();
      stream.spec = planner.spec_numbered(spec);
      from.require((spec == kNone) == (stream.spec == nullptr));
    }
    streams_.push_back(block.streams.empty() ? nullptr : block.streams.data());
  }
}

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// Where the chunks of collectives are kept while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Chunks that somebody has issued and not all members are done with. Members meet in one by the
/// order in which each issues those of a communicator.
class ChunkPool {
 public:
  explicit ChunkPool(EngineRun& run) : run_(run) {}

  /// The rank issues its next chunk of the communicator, for one of its nodes.
  [[nodiscard]] Stream& open(std::uint32_t communicator, std::uint32_t rank, graph::NodeId node);
  /// A member is done with its chunk; when all are, it is dropped.
  void close(const Stream& stream);

  [[nodiscard]] Stream& at(StreamId id) { return where_[id.block][id.player]; }
  [[nodiscard]] const Stream& at(StreamId id) const { return where_[id.block][id.player]; }
  [[nodiscard]] Chunk& of(const Stream& stream) { return *blocks_[stream.id.block]; }
  [[nodiscard]] const Chunk& of(const Stream& stream) const { return *blocks_[stream.id.block]; }
  [[nodiscard]] Chunk& operator[](std::uint32_t number) { return *blocks_[number]; }
  [[nodiscard]] const Communicator& group(const Chunk& block) const {
    return run_.communicators[block.communicator];
  }
  /// What one member does of a chunk.
  [[nodiscard]] Stream& at(Chunk& block, std::uint32_t member) const {
    return block.streams[group(block).player(member)];
  }
  [[nodiscard]] const Stream& at(const Chunk& block, std::uint32_t member) const {
    return block.streams[group(block).player(member)];
  }
  /// A member of a chunk, as the workload calls it.
  [[nodiscard]] std::uint32_t rank_of(const Stream& stream, std::uint32_t member) const {
    return run_.rank_of(of(stream).communicator, member);
  }

  /// Numbers below it are chunks, some of them done with.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] const ChunkSequence& sequence(std::uint32_t communicator) const {
    static const ChunkSequence none;
    return communicator < sequences_.size() ? sequences_[communicator] : none;
  }

  /// Goes on from where another has come to.
  void resume(const ChunkPool& other) {
    sequences_ = other.sequences_;
    free_blocks_ = other.free_blocks_;
    blocks_.clear();
    where_.clear();
    for (const auto& block : other.blocks_) {
      blocks_.push_back(std::make_unique<Chunk>(*block));
      where_.push_back(blocks_.back()->streams.data());
    }
  }

 private:
  [[nodiscard]] std::uint32_t new_block(std::uint32_t communicator);
  void drop(std::uint32_t number);

  EngineRun& run_;
  std::vector<ChunkSequence> sequences_;        // by communicator
  std::vector<std::unique_ptr<Chunk>> blocks_;  // they stay where they are
  std::vector<Stream*> where_;                  // by block: its streams
  std::vector<std::uint32_t> free_blocks_;
};

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// Stores the chunks of collectives while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// Chunks that at least one member has issued and not all members have completed. The n-th chunk
/// that a member issues on a communicator is the n-th chunk of every other member.
class ChunkPool {
 public:
  explicit ChunkPool(EngineRun& run) : run_(run) {}

  /// The rank issues its next chunk on the communicator, for one of its nodes.
  [[nodiscard]] Stream& open(std::uint32_t communicator, std::uint32_t rank, graph::NodeId node);
  /// A member has completed its chunk. The pool drops the chunk when all members have.
  void close(const Stream& stream);

  [[nodiscard]] Stream& at(StreamId id) { return streams_[id.block][id.representative]; }
  [[nodiscard]] const Stream& at(StreamId id) const {
    return streams_[id.block][id.representative];
  }
  [[nodiscard]] Chunk& of(const Stream& stream) { return *blocks_[stream.id.block]; }
  [[nodiscard]] const Chunk& of(const Stream& stream) const { return *blocks_[stream.id.block]; }
  [[nodiscard]] Chunk& operator[](std::uint32_t number) { return *blocks_[number]; }
  [[nodiscard]] const Communicator& group(const Chunk& block) const {
    return run_.communicators[block.communicator];
  }
  /// The stream of one member of a chunk.
  [[nodiscard]] Stream& at(Chunk& block, std::uint32_t member) const {
    return block.streams[group(block).representative(member)];
  }
  [[nodiscard]] const Stream& at(const Chunk& block, std::uint32_t member) const {
    return block.streams[group(block).representative(member)];
  }
  /// The rank number, in the workload, of a member of a chunk.
  [[nodiscard]] std::uint32_t rank_of(const Stream& stream, std::uint32_t member) const {
    return run_.rank_of(of(stream).communicator, member);
  }

  /// Numbers below this are chunks, some of them completed.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] const ChunkSequence& sequence(std::uint32_t communicator) const {
    static const ChunkSequence none;
    return communicator < sequences_.size() ? sequences_[communicator] : none;
  }

  /// Continues from the state of `other`.
  void resume(const ChunkPool& other) {
    sequences_ = other.sequences_;
    free_blocks_ = other.free_blocks_;
    blocks_.clear();
    streams_.clear();
    for (const auto& block : other.blocks_) {
      blocks_.push_back(std::make_unique<Chunk>(*block));
      streams_.push_back(blocks_.back()->streams.data());
    }
  }
  /// For checkpoints. `planner` has the same specs and plans as when the chunks were saved.
  void save(StateWriter& to) const;
  void load(StateReader& from, const CollectivePlanner& planner);

 private:
  [[nodiscard]] std::uint32_t new_block(std::uint32_t communicator);
  void drop(std::uint32_t number);

  EngineRun& run_;
  std::vector<ChunkSequence> sequences_;        // by communicator
  std::vector<std::unique_ptr<Chunk>> blocks_;  // stable addresses
  std::vector<Stream*> streams_;                // by block: its streams
  std::vector<std::uint32_t> free_blocks_;
};

}  // namespace orrery::sim

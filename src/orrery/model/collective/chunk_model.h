// SPDX-License-Identifier: Apache-2.0
//
// When a collective's chunks are through, given the order in which each visits the dimensions:
// every dimension is a server, every phase a job of known length.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// One phase on a chunk's way.
struct ChunkPhaseTime {
  std::uint8_t dim = 0;  ///< whose queues it waits in
  QueueUse queues = QueueUse::all;
  bool gather = false;
  std::int64_t time = 0;     ///< picoseconds
  std::int64_t largest = 0;  ///< bytes, before it or after it, whichever is more
};
using ChunkPath = std::vector<ChunkPhaseTime>;

/// How chunks wait.
struct ChunkRules {
  std::uint32_t dims = 1;
  std::uint32_t queues_per_dim = 1;
  std::uint32_t servers = 1;  ///< of a queue
  platform::IntraDimension within = platform::IntraDimension::fifo;
};

/// Chunks that are all issued at once and have the machine to themselves: what the engine does
/// under Orrery rules when all ranks come at one time and no link is shared, in one event per
/// phase. Source: the chunk-level view of Themis (ISCA 2022, arXiv 2110.04478) section 4; queues as
/// sim/collectives/chunks/chunk_order.cc has them.
class ChunkModel {
 public:
  explicit ChunkModel(const ChunkRules& rules);

  /// When the last of the chunks is through, in picoseconds; `ways`: by chunk, in the order in
  /// which they are issued. O(phases log phases); with rg O(phases × chunks).
  [[nodiscard]] std::int64_t time_of(std::span<const ChunkPath* const> ways);
  /// Phases that were worked out so far.
  [[nodiscard]] std::uint64_t phases() const { return phases_; }

 private:
  struct Waiting {
    std::int64_t rank;  ///< what the rules look at first
    std::int64_t since;
    std::uint32_t chunk;

    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Queue {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::vector<std::uint32_t> arrived, in_line;  // rg
    std::uint32_t running = 0;
    bool touched = false;
    bool last_was_gather = false;  // rg: of those that left last, the newest chunk's phase
    std::int64_t last_at = -1;
    std::uint32_t last_chunk = 0;
  };
  struct End {
    std::int64_t at;
    std::uint32_t chunk;

    friend auto operator<=>(const End&, const End&) = default;
  };

  void choose_queues();
  [[nodiscard]] const ChunkPhaseTime& step_of(std::uint32_t chunk) const {
    return (*ways_[chunk])[done_[chunk]];
  }
  [[nodiscard]] std::uint32_t queue_of(std::uint32_t chunk) const {
    return queues_chosen_[first_choice_[chunk] + done_[chunk]];
  }
  [[nodiscard]] std::int64_t rank_of(std::uint32_t chunk) const;
  void wait(std::uint32_t chunk);
  void end_phase(std::uint32_t chunk);
  void line_up(Queue& queue);
  void start_touched();

  ChunkRules rules_;
  std::uint64_t phases_ = 0;
  std::int64_t now_ = 0;
  std::span<const ChunkPath* const> ways_;
  std::vector<std::uint32_t> done_;           // phases, by chunk
  std::vector<std::uint32_t> first_choice_;   // by chunk, in:
  std::vector<std::uint32_t> queues_chosen_;  // by phase
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> touched_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace orrery::model

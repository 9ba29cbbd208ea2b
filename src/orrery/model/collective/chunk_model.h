// SPDX-License-Identifier: Apache-2.0
//
// The end of a collective's chunks, given the order in which each visits the dimensions. Every
// dimension is a server, every phase a job of known length.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "orrery/model/collective/chunk_plan.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// One phase of a chunk.
struct ChunkPhaseTime {
  std::uint8_t dim = 0;  ///< dimension in whose queues it waits
  QueueUse queues = QueueUse::all;
  bool gather = false;
  std::int64_t time = 0;     ///< picoseconds
  std::int64_t largest = 0;  ///< the larger size before and after it, bytes
};
using ChunkPath = std::vector<ChunkPhaseTime>;

/// The queues of the dimensions, and the order of chunks in them.
struct ChunkRules {
  std::uint32_t dims = 1;
  std::uint32_t queues_per_dim = 1;
  std::uint32_t servers = 1;  ///< per queue
  platform::IntraDimension within = platform::IntraDimension::fifo;
};

/// Simulates chunks that are issued together on an otherwise idle machine, with one event per
/// phase. The result equals that of the engine under Orrery rules if all ranks begin together and
/// no link is shared. Source: the chunk-level view of Themis (ISCA 2022, arXiv 2110.04478) section
/// 4; queues as in sim/collectives/chunks/chunk_order.cc.
class ChunkModel {
 public:
  explicit ChunkModel(const ChunkRules& rules);

  /// The end of the last chunk, in picoseconds. `paths`: the path of each chunk, in the order of
  /// issue. O(phases log phases); with rg O(phases × chunks).
  [[nodiscard]] std::int64_t time_of(std::span<const ChunkPath* const> paths);
  /// Number of phases simulated so far.
  [[nodiscard]] std::uint64_t phases() const { return phases_; }

 private:
  struct Waiting {
    std::int64_t rank;  ///< priority by the rules; lower first
    std::int64_t since;
    std::uint32_t chunk;

    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Queue {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::vector<std::uint32_t> arrived, in_line;  // for rg
    std::uint32_t running = 0;
    bool touched = false;
    bool last_was_gather = false;  // rg: the phase that ended last (of several, the newest chunk's)
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
    return (*paths_[chunk])[done_[chunk]];
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
  std::span<const ChunkPath* const> paths_;
  std::vector<std::uint32_t> done_;          // by chunk: number of phases that have ended
  std::vector<std::uint32_t> first_choice_;  // by chunk: index of its first phase in queues_chosen_
  std::vector<std::uint32_t> queues_chosen_;  // by phase: its queue
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> touched_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace orrery::model

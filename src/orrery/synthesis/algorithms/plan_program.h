// SPDX-License-Identifier: Apache-2.0
//
// Builds a plan message by message.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Builds a plan from sends and copies, which the caller adds in an order in which they could run.
/// Derives thread blocks and dependencies: each pair of ranks has, on each channel, a block at both
/// ends. A step waits for the writers of its chunks and, if it writes, also for their earlier
/// readers.
class PlanProgram {
 public:
  /// `chunks`: number of chunks of each rank's input, output and scratch. In place: the input is
  /// the only buffer.
  PlanProgram(std::string name, CollectiveType collective, std::uint32_t ranks,
              std::array<std::uint32_t, kPlanBuffers> chunks, bool in_place);
  void set_root(std::uint32_t root) { plan_.root = root; }

  /// Sends the chunks at `from` to `to`, on another rank with as many chunks; with `adds` the
  /// receiver adds them. O(chunks).
  void send(const PlanSpan& from, const PlanSpan& to, bool adds = false, std::uint32_t channel = 0);
  /// Copies chunks within one rank.
  void copy(const PlanSpan& from, const PlanSpan& to);

  [[nodiscard]] Plan finish() &&;

 private:
  /// The last writer of a chunk, and its readers since then.
  struct ChunkAccesses {
    bool is_written = false;
    StepPosition writer;
    std::vector<StepPosition> readers;
  };
  /// One end of a connection: rank, peer, channel, and whether it sends; (rank, rank) for copies.
  using ConnectionEnd = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>;

  [[nodiscard]] ChunkAccesses& accesses_of(const PlanSpan& span, std::uint32_t chunk);
  [[nodiscard]] StepPosition next_position(const ConnectionEnd& end);
  void add_read(const PlanSpan& span, const StepPosition& at, PlanStep& step);
  void add_write(const PlanSpan& span, const StepPosition& at, PlanStep& step);
  void append(PlanStep step, const StepPosition& at);

  Plan plan_;
  std::vector<std::vector<ChunkAccesses>> accesses_;  // by rank and buffer
  std::map<ConnectionEnd, std::uint32_t> blocks_;
};

}  // namespace orrery::synthesis

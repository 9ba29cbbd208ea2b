// SPDX-License-Identifier: Apache-2.0
//
// A plan written message by message.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Makes a plan of what is sent, said in an order in which it could be done: thread blocks, and
/// which step waits for which, follow. Each pair of ranks has, on each channel, a block at either
/// end; a step waits for what its chunks were written by, and, if it writes, for what they were
/// read by before.
class PlanProgram {
 public:
  /// `chunks`: of each rank's input, output and scratch. In place: there is one buffer, the input.
  PlanProgram(std::string name, CollectiveType collective, std::uint32_t ranks,
              std::array<std::uint32_t, kPlanBuffers> chunks, bool in_place);
  void set_root(std::uint32_t root) { plan_.root = root; }

  /// What is at `from` is put at `to`, of another rank and as many chunks, or added to it.
  /// O(chunks).
  void send(const PlanSpan& from, const PlanSpan& to, bool adds = false, std::uint32_t channel = 0);
  /// The same in one rank.
  void copy(const PlanSpan& from, const PlanSpan& to);

  [[nodiscard]] Plan finish() &&;

 private:
  /// Who has touched a chunk since it was last written.
  struct Touched {
    bool written = false;
    StepPosition writer;
    std::vector<StepPosition> readers;
  };
  /// Of a connection at one end: rank, peer, channel, and whether it sends; (rank, rank) for
  /// copies.
  using End = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>;

  [[nodiscard]] Touched& touched(const PlanSpan& span, std::uint32_t chunk);
  [[nodiscard]] StepPosition place(const End& end);
  void reads(const PlanSpan& span, const StepPosition& at, PlanStep& step);
  void writes(const PlanSpan& span, const StepPosition& at, PlanStep& step);
  void put(PlanStep step, const StepPosition& at);

  Plan plan_;
  std::vector<std::vector<Touched>> touched_;  // by rank and buffer
  std::map<End, std::uint32_t> blocks_;
};

}  // namespace orrery::synthesis

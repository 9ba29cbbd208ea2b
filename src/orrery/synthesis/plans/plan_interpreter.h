// SPDX-License-Identifier: Apache-2.0
//
// A plan followed chunk by chunk. Private to this room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/chunk_contents.h"
#include "orrery/synthesis/plans/plan_order.h"
#include "orrery/synthesis/plans/plan_places.h"

namespace orrery::synthesis {

/// Follows a plan of a known collective whose order is whole and whose buffers fit, once.
class PlanInterpreter {
 public:
  PlanInterpreter(const Plan& plan, const PlanOrder& order, const PlanPlaces& places);

  /// Steps that read nothing, or add what must not be added. In order.
  [[nodiscard]] std::vector<PlanError> run();
  /// After run(): places that do not hold what they should, by rank and chunk.
  [[nodiscard]] std::vector<PlanError> compare(std::size_t stories);

 private:
  static constexpr std::size_t kStoryLines = 8;
  void put_inputs();
  void execute_step(std::uint32_t number, const StepPosition& at, std::vector<PlanError>& errors);
  [[nodiscard]] std::uint32_t expected(std::uint32_t rank, std::uint32_t chunk);
  [[nodiscard]] std::vector<std::string> history_of(std::uint32_t place,
                                                    std::uint32_t missing = kNoStep) const;
  [[nodiscard]] std::uint32_t chunk_in(std::uint32_t number, std::uint32_t place) const;
  [[nodiscard]] std::uint32_t place_of(const PlanSpan& span, std::uint32_t chunk) const {
    return places_.number(span.rank, span.buffer, span.first + chunk);
  }

  const Plan& plan_;
  const PlanOrder& order_;
  const PlanPlaces& places_;
  ChunkContents contents_;
  std::vector<std::uint32_t> value_, writer_;  ///< by place
  std::vector<std::uint32_t> result_offsets_;  ///< by step: in results_, its chunks
  std::vector<std::uint32_t> results_;
  std::vector<std::uint32_t> input_offsets_;  ///< by step: in fed_, the writers of what it read
  std::vector<std::uint32_t> inputs_;
};

}  // namespace orrery::synthesis

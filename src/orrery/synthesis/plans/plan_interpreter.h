// SPDX-License-Identifier: Apache-2.0
//
// Interprets a plan chunk by chunk. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/chunk_contents.h"
#include "orrery/synthesis/plans/plan_order.h"
#include "orrery/synthesis/plans/plan_places.h"

namespace orrery::synthesis {

/// Interprets a plan once. The plan must have a known collective, a complete order and fitting
/// buffers.
class PlanInterpreter {
 public:
  PlanInterpreter(const Plan& plan, const PlanOrder& order, const PlanPlaces& places);

  /// Runs all steps. Returns those that read an empty place, or add contributions that must not be
  /// added, in order.
  [[nodiscard]] std::vector<PlanError> run();
  /// After run(): returns the places with wrong contents, by rank and chunk. Only the first
  /// `max_histories` have a description.
  [[nodiscard]] std::vector<PlanError> compare(std::size_t max_histories);

 private:
  static constexpr std::size_t kHistoryLines = 8;
  void put_inputs();
  void execute_step(std::uint32_t number, const StepPosition& at, std::vector<PlanError>& errors);
  [[nodiscard]] std::uint32_t expected(std::uint32_t rank, std::uint32_t chunk);
  [[nodiscard]] std::vector<std::string> history_of(std::uint32_t place,
                                                    std::uint32_t missing = kNoStep) const;
  [[nodiscard]] std::uint32_t written_chunk(std::uint32_t number, std::uint32_t place) const;
  [[nodiscard]] std::uint32_t place_of(const PlanSpan& span, std::uint32_t chunk) const {
    return places_.index_of(span.rank, span.buffer, span.first + chunk);
  }

  const Plan& plan_;
  const PlanOrder& order_;
  const PlanPlaces& places_;
  ChunkContents contents_;
  std::vector<std::uint32_t> value_, writer_;  ///< by place
  std::vector<std::uint32_t> result_offsets_;  ///< by step: start of its chunks in results_
  std::vector<std::uint32_t> results_;
  std::vector<std::uint32_t> input_offsets_;  ///< by step: start of the writers of its inputs in
                                              ///< inputs_
  std::vector<std::uint32_t> inputs_;
};

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// Chunks' places numbered through, with buffers that are one in place numbered once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

class PlanPlaces {
 public:
  /// In place, output and input are one buffer, or one is a part of the other, as the collective
  /// has it (NCCL: of all-gathers the input is a part of the output, of reduce-scatters the output
  /// one of the input).
  PlanPlaces(const Plan& plan, bool in_place);

  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t number(std::uint32_t rank, PlanBuffer buffer,
                                     std::uint32_t chunk) const {
    if (in_place_ && buffer != PlanBuffer::scratch) shift(rank, buffer, chunk);
    return first_[rank * kPlanBuffers + static_cast<std::size_t>(buffer)] + chunk;
  }
  /// What a rank puts in, and what it gets, in chunks.
  [[nodiscard]] std::uint32_t inputs() const { return inputs_; }
  [[nodiscard]] std::uint32_t outputs() const { return outputs_; }
  /// Empty: the buffers fit the collective. Else what does not.
  [[nodiscard]] const std::string& misfit() const { return misfit_; }
  /// The place with this number.
  [[nodiscard]] PlanSpan at(std::uint32_t number) const;

 private:
  void find_sizes(const Plan& plan);
  void shift(std::uint32_t rank, PlanBuffer& buffer, std::uint32_t& chunk) const {
    if (buffer == one_) return;
    buffer = one_;
    chunk += rank * part_;
  }

  bool in_place_;
  PlanBuffer one_ = PlanBuffer::input;  ///< in place: the buffer that holds the other one
  std::uint32_t part_ = 0;              ///< … whose part of it begins at so many chunks a rank
  std::uint32_t inputs_ = 0, outputs_ = 0;
  std::string misfit_;
  std::vector<std::uint32_t> first_;  ///< by rank and buffer
};

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// Numbers the places of all chunks. Buffers that share memory in place share numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

class PlanPlaces {
 public:
  /// In place, output and input are one buffer, or one is a part of the other, depending on the
  /// collective (NCCL: the input of an all-gather is a part of its output, the output of a
  /// reduce-scatter a part of its input).
  PlanPlaces(const Plan& plan, bool in_place);

  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t index_of(std::uint32_t rank, PlanBuffer buffer,
                                       std::uint32_t chunk) const {
    if (in_place_ && buffer != PlanBuffer::scratch) move_to_container(rank, buffer, chunk);
    return first_[rank * kPlanBuffers + static_cast<std::size_t>(buffer)] + chunk;
  }
  /// Chunks of a rank's input and output.
  [[nodiscard]] std::uint32_t inputs() const { return inputs_; }
  [[nodiscard]] std::uint32_t outputs() const { return outputs_; }
  /// Why the buffers do not fit the collective; empty: they fit.
  [[nodiscard]] const std::string& size_error() const { return size_error_; }
  /// The place with this number, as a span of one chunk.
  [[nodiscard]] PlanSpan at(std::uint32_t number) const;

 private:
  void find_sizes(const Plan& plan);
  void move_to_container(std::uint32_t rank, PlanBuffer& buffer, std::uint32_t& chunk) const {
    if (buffer == container_) return;
    buffer = container_;
    chunk += rank * part_chunks_;
  }

  bool in_place_;
  PlanBuffer container_ = PlanBuffer::input;  ///< in place: the buffer that contains the other one
  std::uint32_t part_chunks_ = 0;  ///< the other one starts at rank × part_chunks_ chunks in it
  std::uint32_t inputs_ = 0, outputs_ = 0;
  std::string size_error_;
  std::vector<std::uint32_t> first_;  ///< first number, by rank and buffer
};

}  // namespace orrery::synthesis

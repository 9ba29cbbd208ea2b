// SPDX-License-Identifier: Apache-2.0
//
// Bodies of a program in the form that schedule_ops() runs: slots instead of streams, and ops with
// their costs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

struct CostedProgram {
  enum class OpKind : std::uint8_t { copy, kernel, collective, send, receive, transfer };
  static constexpr std::uint8_t kCompute = 0;  ///< slot of the compute stream
  static constexpr std::uint8_t kNoSlot = 255;

  struct CostedOp {
    OpCosts::Cost cost;
    OpKind kind = OpKind::transfer;
    std::uint8_t stream = 0, marks = kNoSlot, group = kNoSlot, wait_count = 0;
    std::uint8_t axis = 0;
    std::uint8_t queue = 0;  ///< of collectives: OpCosts::ProgramCosts::queue; 0: none
    std::uint8_t lane = 0;   ///< of collectives and transfers: one per stream
    /// Slots to wait for. A collective also waits for the previous one of its group.
    std::array<std::uint8_t, 5> waits{};
    std::uint32_t edge = 0;
    std::uint32_t number = 0;  ///< index of the op in its body
    bool inside = false;       ///< messages: between ranks of one stage
  };
  struct CostedBody {
    std::vector<CostedOp> steps;
    bool plain = true;  ///< no communication with other rank classes
  };

  CostedProgram(const workload::Program& program, const OpCosts::ProgramCosts& times);

  [[nodiscard]] const OpCosts::ProgramCosts::Message& message(std::uint32_t rank_class,
                                                              std::uint32_t body,
                                                              const CostedOp& step) const {
    return times->messages.at({rank_class, body, step.number});
  }
  /// Number of rank classes in a collective on an axis, and the first rank of their group.
  struct CollectiveClasses {
    std::uint32_t rank_classes = 1, first = 0;
  };
  [[nodiscard]] const CollectiveClasses& classes_of(std::uint32_t rank_class,
                                                    const CostedOp& step) const {
    return collective_classes[step.axis][rank_class];
  }

  const OpCosts::ProgramCosts* times;     ///< must outlive this object
  std::vector<CostedBody> costed_bodies;  ///< by body
  std::size_t slots = 1;                  ///< number of slots: used streams, registers and groups
  std::size_t lanes = 0;                  ///< number of streams with collectives or transfers
  std::array<std::vector<CollectiveClasses>, workload::kAxes>
      collective_classes;  ///< by axis and rank class
};

}  // namespace orrery::estimate

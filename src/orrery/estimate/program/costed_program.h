// SPDX-License-Identifier: Apache-2.0
//
// A program's bodies as players read them: places instead of streams, costs in the ops.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "orrery/estimate/program/op_costs.h"
#include "orrery/workload/program/program.h"

namespace orrery::estimate {

struct CostedProgram {
  enum class OpKind : std::uint8_t { copy, kernel, collective, send, receive, transfer };
  static constexpr std::uint8_t kCompute = 0;  ///< the place of that stream
  static constexpr std::uint8_t kNowhere = 255;

  struct CostedOp {
    OpCosts::Cost cost;
    OpKind what = OpKind::transfer;
    std::uint8_t stream = 0, marks = kNowhere, group = kNowhere, wait_count = 0;
    std::uint8_t axis = 0;
    std::uint8_t queue = 0;               ///< of collectives; 0: none
    std::uint8_t lane = 0;                ///< of collectives and transfers, by stream
    std::array<std::uint8_t, 5> waits{};  ///< collectives wait for the one before of their group
    std::uint32_t edge = 0;
    std::uint32_t number = 0;  ///< of the op in its body
    bool inside = false;       ///< of messages: between ranks of one stage
  };
  struct CostedBody {
    std::vector<CostedOp> steps;
    bool plain = true;  ///< it says nothing to other roles, and hears nothing new
  };

  CostedProgram(const workload::Program& program, const OpCosts::Times& times);

  [[nodiscard]] const OpCosts::Times::Message& message(std::uint32_t rank_class, std::uint32_t body,
                                                       const CostedOp& step) const {
    return times->messages.at({rank_class, body, step.number});
  }
  /// Players that meet in a collective on an axis, and the rank that names their group.
  struct CollectiveMeeting {
    std::uint32_t rank_classes = 1, first = 0;
  };
  [[nodiscard]] const CollectiveMeeting& meeting(std::uint32_t rank_class,
                                                 const CostedOp& step) const {
    return meetings[step.axis][rank_class];
  }

  const OpCosts::Times* times;            ///< outlive this
  std::vector<CostedBody> costed_bodies;  ///< by body
  std::size_t places = 1;                 ///< streams, registers and groups that are used
  std::size_t lanes = 0;                  ///< streams of collectives and transfers
  std::array<std::vector<CollectiveMeeting>, workload::kAxes> meetings;  ///< by axis and player
};

}  // namespace orrery::estimate

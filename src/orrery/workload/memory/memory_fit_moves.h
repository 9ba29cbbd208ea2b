// SPDX-License-Identifier: Apache-2.0
//
// Changes to a specification that may save memory, one at a time. Private to make_it_fit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// What a change is about; a pair of changes is never about the same.
enum class FitMoveKind : std::uint8_t {
  flash_attention,
  sequence_parallel,
  optimizer_sharding,  ///< zero1, zero2, zero3
  expert_parallel,
  micro_batch,
  pipeline,
  tensor_parallel,
  context_parallel,
  recompute,
};

struct FitMove {
  FitMoveKind kind = FitMoveKind::recompute;
  /// How much it changes beside FLOPs, for the order of those that cost the same: messages, smaller
  /// kernels, bubbles. Only comparisons matter.
  std::int32_t disturbance = 0;
  /// Changes the specification and says how ("parallel.tp = 8, parallel.dp = 4"). The number of
  /// ranks and the global batch stay. Empty when it cannot be done.
  std::function<std::string(Spec&)> apply;
};

/// All single changes worth trying, at most 32, in a fixed order: of a pair, the first is to be
/// applied first. `spec.batch.global` must be set.
[[nodiscard]] std::vector<FitMove> fit_moves(const Spec& spec);

}  // namespace orrery::workload

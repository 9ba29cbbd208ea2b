// SPDX-License-Identifier: Apache-2.0
//
// Single changes to a specification that may save memory. Private to find_fitting_changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The subject of a change. The two changes of a pair have different subjects.
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
  /// Cost other than FLOPs (messages, smaller kernels, bubbles), on an ordinal scale. Orders
  /// changes with the same FLOPs.
  std::int32_t overhead_level = 0;
  /// Changes the specification and returns the change as text ("parallel.tp = 8, parallel.dp = 4");
  /// empty if it is impossible. The number of ranks and the global batch stay.
  std::function<std::string(Spec&)> apply;
};

/// All candidate changes, at most 32, in a fixed order. In a pair, the earlier one is applied
/// first. `spec.batch.global` must be set.
[[nodiscard]] std::vector<FitMove> fit_moves(const Spec& spec);

}  // namespace orrery::workload

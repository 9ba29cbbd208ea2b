// SPDX-License-Identifier: Apache-2.0
//
// From a recorded rank to the plan of its replay.
#pragma once

#include <cstdint>

#include "orrery/bench/operators.h"
#include "orrery/bench/plan.h"
#include "orrery/bench/select.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

struct PlanOptions {
  SelectOptions select;
  /// Most that tensors may take at a time, copies included, by their recorded sizes.
  std::int64_t memory_limit = std::int64_t{1} << 62;
  bool reuse = false;  ///< rows of tables are looked up by frequency (Fill::Kind::reuse)
};

/// Errc: as select; input_range (a tensor that cannot be), limit_exceeded (memory). O(nodes log
/// nodes).
[[nodiscard]] Result<Plan> make_plan(const profile::Profile& profile, const Operators& operators,
                                     const PlanOptions& options);

}  // namespace orrery::bench

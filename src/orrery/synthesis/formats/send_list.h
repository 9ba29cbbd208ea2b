// SPDX-License-Identifier: Apache-2.0
//
// Reads plans that only list their sends: JSON, written by hand or by a short program.
#pragma once

#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// A plan from its sends, in an order in which they could run (docs/plans.md). Blocks and
/// dependencies are derived from the chunks (PlanProgram). Errc: input_corrupt,
/// input_unsupported, input_range, input_missing_attr, limit_exceeded; each with the place in the
/// file.
[[nodiscard]] Result<Plan> read_send_list(const config::Json& file, const std::string& where);

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// Reads MSCCL++'s execution plans: JSON with operations on buffers, channels and semaphores, in the
// current layout and in those of earlier releases (microsoft/mscclpp, src/core/executor).
#pragma once

#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Signals become counters, and a barrier becomes dependencies. An operation that several thread
/// blocks share becomes one operation on finer chunks in each. A pipeline becomes one iteration
/// (finding default_assumed). Errc: input_corrupt, input_unsupported, input_range,
/// input_missing_attr, input_duplicate_id, limit_exceeded; each with the place in the file.
[[nodiscard]] Result<Plan> read_mscclpp(const config::Json& file, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// MSCCL++'s execution plans: JSON with operations on buffers, channels and semaphores, in today's
// layout and in those of earlier releases (microsoft/mscclpp, src/core/executor).
#pragma once

#include <string>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Signals become counters, a barrier dependencies, an operation that several thread blocks share
/// one of finer chunks in each; a pipeline is taken for one turn of it (default_assumed). Errc:
/// input_corrupt, input_unsupported, input_range, input_missing_attr, input_duplicate_id,
/// limit_exceeded; each with the place in the file.
[[nodiscard]] Result<Plan> read_mscclpp(const config::Json& file, const std::string& where,
                                        Findings& findings);

}  // namespace orrery::synthesis

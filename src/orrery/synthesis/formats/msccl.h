// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes MSCCL's plans: XML with an <algo>, its <gpu>s, their thread blocks (<tb>) and
// steps.
//
// Supports the attributes of microsoft/msccl (src/include/msccl) and Azure/msccl-scheduler, and
// those of earlier releases of msccl-tools and RCCL.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Unknown attributes are findings. Errc: input_unsupported (no <algo>), input_corrupt,
/// input_range, input_missing_attr, input_duplicate_id, input_dangling_dep, limit_exceeded; each
/// with the line.
[[nodiscard]] Result<Plan> read_msccl(std::string_view text, const std::string& where,
                                      Findings& findings);

/// Writes a plan as MSCCL reads it. A step with several dependencies gets preceding steps that only
/// wait. Reading the result returns the same plan. Errc: input_unsupported for features without an
/// MSCCL step: other ranks' memory, signals, packets.
[[nodiscard]] Result<std::string> write_msccl(const Plan& plan);

}  // namespace orrery::synthesis

// SPDX-License-Identifier: Apache-2.0
//
// MSCCL's plans: XML with an <algo>, its <gpu>s, their thread blocks (<tb>) and steps.
//
// Attributes as microsoft/msccl (src/include/msccl) and Azure/msccl-scheduler have them, and what
// earlier releases of msccl-tools and RCCL wrote.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Attributes that are not known are findings. Errc: input_unsupported (no <algo>), input_corrupt,
/// input_range, input_missing_attr, input_duplicate_id, input_dangling_dep, limit_exceeded; each
/// with the line.
[[nodiscard]] Result<Plan> read_msccl(std::string_view text, const std::string& where,
                                      Findings& findings);

/// The plan as MSCCL takes it. A step with several dependencies gets steps before it that do
/// nothing but wait. Read again it is the same plan. Errc: input_unsupported for what MSCCL has no
/// step for: other ranks' memory, signals, packets.
[[nodiscard]] Result<std::string> write_msccl(const Plan& plan);

}  // namespace orrery::synthesis

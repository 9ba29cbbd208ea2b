// SPDX-License-Identifier: Apache-2.0
//
// The entry point for reading plans. The content of a file determines its format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

/// Reads a plan in one of these formats, which the beginning of the text determines. Errc:
/// input_unsupported (no plan, or TACCL's sketches and topologies, which are only inputs for
/// generating plans), input_empty, and those of the readers.
[[nodiscard]] Result<Plan> read_plan(std::string_view text, const std::string& where,
                                     Findings& findings);

/// As above, from a file, gzipped or not. Errc: also config_not_found, limit_exceeded.
[[nodiscard]] Result<Plan> read_plan_file(const std::string& path, Findings& findings);

}  // namespace orrery::synthesis

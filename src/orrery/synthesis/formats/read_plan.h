// SPDX-License-Identifier: Apache-2.0
//
// The front door for plans: what a file is, is told by what is in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/synthesis/plans/plan.h"

namespace orrery::synthesis {

enum class PlanFormat : std::uint8_t { msccl, mscclpp, unknown };

/// What the text is, by its beginning; nothing is checked.
[[nodiscard]] PlanFormat plan_format(std::string_view text);

/// Reads whichever it is. Errc: input_unsupported (no plan, or TACCL's sketches and topologies,
/// which are made into plans and are none), input_empty, and those of the readers.
[[nodiscard]] Result<Plan> read_plan(std::string_view text, const std::string& where,
                                     Findings& findings);

/// The same of a file, gzipped or not. Errc: config_not_found, limit_exceeded, too.
[[nodiscard]] Result<Plan> read_plan_file(const std::string& path, Findings& findings);

}  // namespace orrery::synthesis

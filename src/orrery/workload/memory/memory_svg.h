// SPDX-License-Identifier: Apache-2.0
//
// A rank's memory over the step, as a drawing.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// One role's memory as SVG: areas by kind, stacked, over the tasks in their order; below them what
/// kind of task each is; the peak marked; with `capacity` (bytes) a line where memory ends. Stands
/// alone: no fonts, styles or scripts from elsewhere. Of many tasks next to each other the largest
/// is drawn. `memory` needs its samples; without any there is a drawing that says so.
[[nodiscard]] std::string memory_svg(const Program& program, const RoleMemory& memory,
                                     std::int64_t capacity = 0);

}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// Renders a rank's memory during a step.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/workload/memory/memory_report.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Renders one role's memory as SVG: stacked areas by kind over the tasks in order; below them the
/// kind of each task; the peak marked; with `capacity` (bytes) a line at the capacity. The SVG
/// needs no external fonts, styles or scripts. Of adjacent tasks that share a pixel only the
/// largest is plotted. Needs `memory.samples`; without them the figure contains a note.
[[nodiscard]] std::string memory_svg(const Program& program, const RoleMemory& memory,
                                     std::int64_t capacity = 0);

}  // namespace orrery::workload

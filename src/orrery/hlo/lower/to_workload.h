// SPDX-License-Identifier: Apache-2.0
//
// A program as a workload for the simulator.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// The graph of all devices of a program. Kernels run one after another, in the order of the
/// program, without launches by a host; collectives run one after another, concurrently with
/// kernels, or, in a scheduled program and without "-start", between them. Collectives of single
/// devices are left out. Devices whose groups follow a pattern share one graph. Errc: as
/// device_tasks() and device_groups(); input_unsupported (shardings that are not applied);
/// limit_exceeded. O(tasks × different devices).
[[nodiscard]] Result<graph::Workload> to_workload(const Program& program, const std::string& where,
                                                  Findings& findings);

}  // namespace orrery::hlo

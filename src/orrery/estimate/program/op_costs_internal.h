// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/workload/program/program.h"

namespace orrery::estimate {

/// Whether members of the axis' groups are on several stages.
[[nodiscard]] bool crosses_stages(const workload::Program& program, workload::Axis axis);

}  // namespace orrery::estimate

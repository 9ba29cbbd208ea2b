// SPDX-License-Identifier: Apache-2.0
//
// Writes a program as a SimAI text workload.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The computation time of an op in nanoseconds.
using OpTime = std::function<std::int64_t(const Op&)>;

/// Returns SimAI's (AICB's) text workload: the rows of the stage with the most work, which
/// represents all ranks. Omits the gradient norm and tied embeddings, since the format has no group
/// for them. Errc: config_conflict for unsupported features (context parallelism, ZeRO-3, HSDP,
/// experts on a separate axis), limit_exceeded.
[[nodiscard]] Result<std::string> to_simai(const Program& program, const OpTime& time_of);
/// As above, with 1 ns for each op, as AICB without measurements.
[[nodiscard]] Result<std::string> to_simai(const Program& program);

}  // namespace orrery::workload

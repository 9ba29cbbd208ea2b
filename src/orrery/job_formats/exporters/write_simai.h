// SPDX-License-Identifier: Apache-2.0
//
// The program as SimAI's text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// How long an op computes, in nanoseconds.
using OpTime = std::function<std::int64_t(const Op&)>;

/// SimAI's (AICB's) text workload: the rows of the stage with most work, which stand for all ranks.
/// Left out, because the format has no group for them: the gradient norm, tied embeddings. Errc:
/// config_conflict for what it cannot say at all (context parallelism, ZeRO-3, HSDP, experts on an
/// axis of their own), limit_exceeded.
[[nodiscard]] Result<std::string> to_simai(const Program& program, const OpTime& time_of);
/// … with 1 ns for each, as AICB does without measurements.
[[nodiscard]] Result<std::string> to_simai(const Program& program);

}  // namespace orrery::workload

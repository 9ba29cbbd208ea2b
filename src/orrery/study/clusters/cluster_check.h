// SPDX-License-Identifier: Apache-2.0
//
// Whether a machine can be what a question makes of it.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// What only Orrery's rules know (fabrics, flows, switches that sum, orders by model, stages of
/// remote memories) is not asked of ASTRA-sim's, and a graph has only so many links.
/// Errc: config_conflict, limit_exceeded.
[[nodiscard]] Result<void> check_network(const Question& question,
                                         const platform::Platform& platform);

/// What a job keeps in remote memory has one to lie in. Errc: config_conflict, at `where`.
[[nodiscard]] Result<void> check_offload(const workload::Spec& spec,
                                         const platform::Platform& platform,
                                         const std::string& where);

}  // namespace orrery::study

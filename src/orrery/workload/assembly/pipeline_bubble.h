// SPDX-License-Identifier: Apache-2.0
//
// The pipeline bubble: idle time of stages that wait for each other, and changes that reduce it.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/workload/schedule/pipeline_order.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A bubble above this share of the step is reported.
inline constexpr double kLargeBubble = 0.3;

/// The share of a step in which a stage is idle, if all stages do the same work, a backward pass
/// costs twice a forward pass and messages cost no time. Uses `bubble_formula` if it has a result,
/// else `pipeline_timeline`. `spec` must be legal and `order` its order of passes.
[[nodiscard]] double bubble_share(const Spec& spec, const PipelineOrder& order);

/// Reports the finding pipeline_bubble if the share is above `kLargeBubble`, with changes that
/// reduce it and the share with each: more microbatches, other schedules, fewer stages. Lists legal
/// changes only.
void report_bubble(const Spec& spec, const PipelineOrder& order, Findings& findings);

}  // namespace orrery::workload

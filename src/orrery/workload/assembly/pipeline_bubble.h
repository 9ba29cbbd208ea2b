// SPDX-License-Identifier: Apache-2.0
//
// How long pipeline stages wait for each other, and what would make that less.
#pragma once

#include "orrery/core/findings.h"
#include "orrery/workload/schedule/pipeline_order.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A bubble above this share of the step is worth a remark.
inline constexpr double kLargeBubble = 0.3;

/// The share of a step in which a stage has nothing to do, if all stages do the same work, a
/// backward pass takes twice a forward pass and messages take no time: `bubble_formula` where that
/// answers, else `pipeline_timeline`. Of a legal specification whose passes come in `order`.
[[nodiscard]] double bubble_share(const Spec& spec, const PipelineOrder& order);

/// Counts pipeline_bubble where the share is above `kLargeBubble`, with what would bring it down
/// and how far: more microbatches, other schedules, fewer stages; legal ones only.
void report_bubble(const Spec& spec, const PipelineOrder& order, Findings& findings);

}  // namespace orrery::workload

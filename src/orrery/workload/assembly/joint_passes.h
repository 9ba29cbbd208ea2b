// SPDX-License-Identifier: Apache-2.0
//
// Forward and backward passes that run together (Parallel::overlap_experts). Private to the
// assembly.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/workload/assembly/body_table.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {

/// The loops of a stage, rotated so that each backward pass comes directly before the forward pass
/// of a later microbatch with which it runs together. The order of the passes is the same.
[[nodiscard]] std::vector<SlotLoop> with_joint_rounds(const std::vector<SlotLoop>& loops);

/// Whether the passes `slots[i]` and `slots[i + 1]` run together: a backward pass and a forward
/// pass that does not depend on it.
[[nodiscard]] bool are_joint(const std::vector<Slot>& slots, std::size_t i);

/// The segments of a backward and a forward pass that run together. Layers run in pairs. Each layer
/// is cut where its computation waits for a token exchange, and the pieces of both alternate,
/// beginning with the backward pass. So each exchange overlaps a piece of the other pass, in the
/// order of Megatron-Core (core/models/common/model_chunk_schedule_plan.py):
///
///   exchange     gradient: combine | dispatch; gradient: dispatch | combine
///   computation  attention         | gradient: experts; experts   | gradient: attention
///
/// `offset`: the microbatch of the backward pass minus that of the forward pass. `bodies`: those of
/// the segments; the pieces are added to `table`.
[[nodiscard]] std::vector<Segment> joint_pass(const std::vector<Segment>& forward,
                                              const std::vector<Segment>& backward,
                                              std::int32_t offset, const std::vector<Body>& bodies,
                                              BodyTable& table);

}  // namespace orrery::workload

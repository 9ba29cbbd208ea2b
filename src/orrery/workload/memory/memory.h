// SPDX-License-Identifier: Apache-2.0
//
// What lies in a rank's memory, over the step: weights, gradients, optimizer, activations by the
// schedule, buffers. Times are not known here; the axis is the order of tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

enum class MemoryKind : std::uint8_t {
  weights,
  gradients,
  optimizer,      ///< moments and master weights
  activations,    ///< kept for the backward pass
  working,        ///< alive inside one pass only
  communication,  ///< buckets, gathered weights, messages in flight
  fragmentation,
};
[[nodiscard]] std::string_view name(MemoryKind kind);

struct MemoryItem {
  MemoryKind kind = MemoryKind::weights;
  std::string name;  ///< "attention.scores, 7 layers x 12 microbatches"
  std::int64_t bytes = 0;
};

/// After one task of the schedule.
struct MemorySample {
  std::uint32_t task = 0;  ///< index in the unrolled schedule
  TaskKind kind = TaskKind::forward;
  std::uint32_t microbatch = 0;
  std::uint16_t chunk = 0;
  std::int64_t bytes = 0;  ///< most alive while it ran: everything
  // … of which
  std::int64_t activations = 0, working = 0, communication = 0, fragmentation = 0;
};

struct RoleMemory {
  std::uint32_t role = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;                           ///< whole step
  std::int64_t activations = 0, working = 0, communication = 0, fragmentation = 0;  ///< at the peak
  std::int64_t peak = 0;
  std::uint32_t peak_task = 0;        ///< index in the unrolled schedule
  Task peak_at{TaskKind::step};       ///< that task
  std::vector<MemoryItem> at_peak;    ///< largest first; sums up to peak; see MemoryOptions
  std::vector<MemorySample> samples;  ///< one per task; see MemoryOptions
};

struct MemoryOptions {
  double fragmentation = 0.05;  ///< allowance on top of activations, working and communication
  bool details = true;  ///< false: no samples, and what is alive at the peak for the worst role
                        ///< only. True: beyond 2^20 tasks of all roles only samples of the worst
                        ///< one are kept, and none where it has more than 2^22 itself
};

struct MemoryReport {
  std::vector<RoleMemory> roles;
  std::uint32_t worst = 0;  ///< index in `roles`
};

/// Schedules that split the backward pass hold Part::halfway between the halves: inputs and output
/// gradients of what has weights (Qi et al., ICLR 2024: M_W, 32 s b h of a GPT layer). With sp the
/// weight half gathers its inputs again; output gradients of row-parallel matrices, which the input
/// half has gathered, stay whole until then: 4 s b h, that tp does not cut.
///
/// Exact for the accounting above; per role O(tasks as they are written, in loops), with details
/// O(tasks). Sources: Korthikanti et al. (MLSys 2023), sections 4 and 5; ZeRO (Rajbhandari et al.,
/// SC20), section 3; the papers of the schedules.
[[nodiscard]] Result<MemoryReport> account_memory(const Program& program,
                                                  const MemoryOptions& options = {});

/// A change to the specification that makes it fit.
struct MemoryChange {
  std::string what;       ///< "recompute.kind = selective"
  Spec spec;              ///< with that change
  std::int64_t peak = 0;  ///< then
  double cost = 0;        ///< hardware FLOPs per step over those of the original, at least 1
};

/// Whether the worst rank fits in `capacity` bytes and, when not, the nearest changes that make it
/// fit, cheapest first (at most `most`): recompute, micro batch, sharding, sp, tp, pp, cp, alone or
/// in pairs. The number of ranks stays. Plans are tried until they have 2^17 tasks, as they are
/// written, in loops, or passes where the order is a file.
[[nodiscard]] Result<std::vector<MemoryChange>> make_it_fit(const Spec& spec, std::int64_t capacity,
                                                            std::size_t most = 3,
                                                            const MemoryOptions& options = {});

}  // namespace orrery::workload

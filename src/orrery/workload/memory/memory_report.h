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
  workspace,      ///< what libraries for matrix products keep for good
  fragmentation,  ///< what the allocator holds and no tensor has
  context,        ///< outside the allocator: the driver's, and loaded kernels
  communicators,  ///< outside the allocator: buffers of the collective library
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
  std::int64_t bytes = 0;  ///< most that tensors took while it ran: everything
  // … of which
  std::int64_t activations = 0, working = 0, communication = 0;
};

struct RoleMemory {
  std::uint32_t role = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;        ///< whole step
  std::int64_t workspace = 0;                                    ///< whole step
  std::int64_t activations = 0, working = 0, communication = 0;  ///< at the peak
  std::int64_t peak = 0;           ///< most that tensors take at once: PyTorch's "allocated"
  std::int64_t after_step = 0;     ///< … once the step has ended
  std::int64_t fragmentation = 0;  ///< beside the peak: what the allocator holds and no tensor has
  std::int64_t context = 0, communicators = 0;  ///< outside the allocator, whole step
  std::uint32_t peak_task = 0;                  ///< index in the unrolled schedule
  Task peak_at{TaskKind::step};                 ///< that task
  std::vector<MemoryItem> at_peak;    ///< largest first; sums up to peak; see MemoryOptions
  std::vector<MemorySample> samples;  ///< one per task; see MemoryOptions

  /// What the allocator takes from the device: PyTorch's "reserved".
  [[nodiscard]] std::int64_t reserved() const { return peak + fragmentation; }
  /// What the device needs.
  [[nodiscard]] std::int64_t total() const { return reserved() + context + communicators; }
};

/// What programs take of a device beside their tensors, in bytes; zeros where the device is not
/// known. Sources: see framework_buffers.h.
struct DeviceMemory {
  std::int64_t products = 0;       ///< PyTorch's workspace for cuBLAS, one of each thread
  std::int64_t transformer = 0;    ///< Transformer Engine's
  std::int64_t deterministic = 0;  ///< `products`, where every run has to give the same bits
  std::int64_t context = 0;
  std::int64_t communicator = 0;  ///< rings of one process group
  std::int64_t peer = 0;          ///< … and of one rank that tokens are exchanged with directly
};

struct MemoryOptions {
  double fragmentation = 0.05;  ///< allowance on top of activations, working and communication:
                                ///< see memory_bounds.h
  DeviceMemory device;
  bool details = true;  ///< false: no samples, and what is alive at the peak for the worst role
                        ///< only. True: beyond 2^20 tasks of all roles only samples of the worst
                        ///< one are kept, and none where it has more than 2^22 itself
};

struct MemoryReport {
  std::vector<RoleMemory> roles;
  std::uint32_t worst = 0;  ///< index in `roles`: who needs most in all
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
struct FittingChange {
  std::string what;        ///< "recompute.kind = selective"
  Spec spec;               ///< with that change
  std::int64_t total = 0;  ///< what the device needs then
  double cost = 0;         ///< hardware FLOPs per step over those of the original, at least 1
};

/// Whether the worst rank fits in `capacity` bytes and, when not, the nearest changes that make it
/// fit, cheapest first (at most `most`): recompute, micro batch, sharding, sp, tp, pp, cp, alone or
/// in pairs. The number of ranks stays. Plans are tried until they have 2^17 tasks, as they are
/// written, in loops, or passes where the order is a file.
[[nodiscard]] Result<std::vector<FittingChange>> find_fitting_changes(
    const Spec& spec, std::int64_t capacity, std::size_t most = 3,
    const MemoryOptions& options = {});

}  // namespace orrery::workload

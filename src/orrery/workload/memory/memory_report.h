// SPDX-License-Identifier: Apache-2.0
//
// The memory of a rank during a step: weights, gradients, optimizer state, activations by the
// schedule, buffers. The time axis is the order of tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

enum class MemoryKind : std::uint8_t {
  weights,
  gradients,
  optimizer,      ///< moments and master weights
  activations,    ///< activations stored for the backward pass
  working,        ///< tensors alive only within one pass
  communication,  ///< buckets, gathered weights, messages in flight
  workspace,      ///< permanent buffers of matrix-product libraries
  fragmentation,  ///< memory that the allocator reserves and no tensor uses
  context,        ///< outside the allocator: driver and loaded kernels
  communicators,  ///< outside the allocator: buffers of the collective library
};
[[nodiscard]] std::string_view name(MemoryKind kind);

struct MemoryItem {
  MemoryKind kind = MemoryKind::weights;
  std::string name;  ///< "attention.scores, 7 layers x 12 microbatches"
  std::int64_t bytes = 0;
};

/// Memory during one task of the schedule.
struct MemorySample {
  std::uint32_t task = 0;  ///< index in the unrolled schedule
  TaskKind kind = TaskKind::forward;
  std::uint32_t microbatch = 0;
  std::uint16_t chunk = 0;
  std::int64_t bytes = 0;  ///< peak of all tensors while it ran
  // Parts of `bytes`:
  std::int64_t activations = 0, working = 0, communication = 0;
};

struct RoleMemory {
  std::uint32_t role = 0;
  std::int64_t weights = 0, gradients = 0, optimizer = 0;        ///< entire step
  std::int64_t workspace = 0;                                    ///< entire step
  std::int64_t activations = 0, working = 0, communication = 0;  ///< at the peak
  std::int64_t peak = 0;           ///< peak of all tensors: PyTorch's "allocated"
  std::int64_t after_step = 0;     ///< bytes of tensors after the step
  std::int64_t fragmentation = 0;  ///< bytes beyond the peak that the allocator reserves and no
                                   ///< tensor uses
  std::int64_t context = 0, communicators = 0;  ///< outside the allocator, entire step
  std::uint32_t peak_task = 0;                  ///< index in the unrolled schedule
  Task peak_at{TaskKind::step};                 ///< the task at the peak
  std::vector<MemoryItem> at_peak;    ///< tensors at the peak, largest first; their sum is `peak`;
                                      ///< see MemoryOptions
  std::vector<MemorySample> samples;  ///< one per task; see MemoryOptions

  /// Bytes that the allocator reserves on the device: PyTorch's "reserved".
  [[nodiscard]] std::int64_t reserved() const { return peak + fragmentation; }
  /// Total bytes on the device.
  [[nodiscard]] std::int64_t total() const { return reserved() + context + communicators; }
};

/// Device memory that programs occupy in addition to their tensors, in bytes; zeros for an unknown
/// device. Sources: see framework_buffers.h.
struct DeviceMemory {
  std::int64_t products = 0;       ///< PyTorch's cuBLAS workspace of one thread
  std::int64_t transformer = 0;    ///< Transformer Engine's workspace
  std::int64_t deterministic = 0;  ///< `products` with deterministic kernels
  std::int64_t context = 0;
  std::int64_t communicator = 0;  ///< buffers of one process group
  std::int64_t peer = 0;          ///< additional buffers per peer of a direct token exchange
};

struct MemoryOptions {
  double fragmentation = 0.05;  ///< allowance relative to activations, working and communication;
                                ///< see memory_bounds.h
  DeviceMemory device;
  bool details = true;  ///< false: no samples, and `at_peak` only for the worst role. true: with
                        ///< more than 2^20 tasks in all roles, only the worst role has samples;
                        ///< none if it has more than 2^22 tasks
};

struct MemoryReport {
  std::vector<RoleMemory> roles;
  std::uint32_t worst = 0;  ///< index in `roles` of the role with the largest total
};

/// Computes the memory of all roles. Schedules with split backward passes hold
/// Part::split_backward_tensors between the halves: inputs and output gradients of operators with
/// weights (Qi et al., ICLR 2024: M_W, 32 s b h of a GPT layer). With sp the weight half gathers
/// its inputs again. Output gradients of row-parallel matrices, which the input half has gathered,
/// stay unsharded until then: 4 s b h, independent of tp.
///
/// Exact for the accounting above. Per role O(tasks in loops), with details O(unrolled tasks).
/// Sources: Korthikanti et al. (MLSys 2023), sections 4 and 5; ZeRO (Rajbhandari et al., SC20),
/// section 3; the papers of the schedules.
[[nodiscard]] Result<MemoryReport> account_memory(const Program& program,
                                                  const MemoryOptions& options = {});

/// A change to the specification with which the job fits.
struct FittingChange {
  std::string what;        ///< "recompute.kind = selective"
  Spec spec;               ///< the changed specification
  std::int64_t total = 0;  ///< bytes on the device with the change
  double cost = 0;         ///< all FLOPs per step relative to the original, at least 1
};

/// Receives the number of plans evaluated, and the maximum number.
using FitProgress = std::function<void(std::uint64_t tried, std::uint64_t of)>;

/// Returns the nearest changes with which the worst rank fits in `capacity` bytes, cheapest first,
/// at most `maximum`: recompute, micro batch, sharding, sp, tp, pp, cp, alone or in pairs. Empty if
/// it fits unchanged. The number of ranks stays. The search stops after plans with 2^17 tasks in
/// total (in loops; passes if the order is a file).
[[nodiscard]] Result<std::vector<FittingChange>> find_fitting_changes(
    const Spec& spec, std::int64_t capacity, std::size_t maximum = 3,
    const MemoryOptions& options = {}, const FitProgress& progress = {});

}  // namespace orrery::workload

// SPDX-License-Identifier: Apache-2.0
//
// Walks a role's tasks in order, with the memory of each. Private to the memory accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/workload/memory/chunk_profile.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The memory peak of one task.
struct TaskPeak {
  Task task;
  std::uint32_t index = 0;  ///< in the unrolled schedule
  PassPeak pass_peak;       ///< memory that the task itself adds
  /// By chunk: number of microbatches after their forward and before their backward pass, without
  /// the task's own.
  std::vector<std::uint32_t> in_flight;
  std::vector<std::uint32_t> awaiting_weight_half;  ///< those of `in_flight` with only the weight
                                                    ///< half left
  std::vector<bool>
      gathered_chunks;        ///< by chunk: whether weights are gathered, with
                              ///< DataParallelPolicy::reduce_once and keep_gathered; else empty
  std::int64_t gathered = 0;  ///< weight half: bytes of the largest input that it gathers again
                              ///< over tp, one at a time
  std::int64_t incoming_message = 0;     ///< bytes of the message for which the next task waits
  std::int64_t outgoing_message = 0;     ///< bytes of the message that the previous task has sent
  std::int64_t offload_in_transfer = 0;  ///< bytes of offloaded activations in transfer: of
                                         ///< Offload::window layers
  LiveBytes live;                        ///< sum of the above

  /// Whether a chunk needs its gathered weights: it has microbatches before the end of their input
  /// half, including the task's own. With `gathered_chunks`: from its first pass to the step.
  [[nodiscard]] bool needs_weights(std::size_t chunk) const;
};

/// Which tasks to evaluate.
enum class TaskSelection : std::uint8_t {
  all_tasks,
  peak_tasks,  ///< skips rounds of loops that hold no more than an earlier round or less than a
               ///< later one; always includes the first task with the peak
};

/// Calls `on_task` for the tasks of the role, in order. While a task runs, the next task's
/// message arrives and the previous task's message leaves, if the schedule overlaps communication.
/// O(tasks); with peak_tasks O(tasks in loops).
void walk_tasks(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
                TaskSelection selection, const std::function<void(const TaskPeak&)>& on_task);

/// An upper bound in bytes of every moment, and of every sum in `profile_chunk` and `walk_tasks`.
[[nodiscard]] double memory_upper_bound(const Program& program, const Role& role);

}  // namespace orrery::workload

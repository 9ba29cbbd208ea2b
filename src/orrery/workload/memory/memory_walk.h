// SPDX-License-Identifier: Apache-2.0
//
// A role's tasks in order, and what is alive while each runs. Private to the memory accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "orrery/workload/memory/chunk_profile.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// The worst moment of one task.
struct TaskPeak {
  Task task;
  std::uint32_t index = 0;  ///< in the unrolled schedule
  PassPeak worst;           ///< what the task itself adds
  /// By chunk: microbatches whose forward pass is done and whose backward pass is not; the task's
  /// own not among them.
  std::vector<std::uint32_t> in_flight;
  std::vector<std::uint32_t>
      awaiting_weight_half;  ///< of these, with the weight half still to come
  std::vector<bool>
      begun;  ///< by chunk, where weights once gathered stay (DataParallelPolicy::reduce_once
              ///< with keep_gathered): whether they are; else empty
  std::int64_t gathered = 0;  ///< by a weight half: the largest input gathered again over tp, which
                              ///< is one at a time
  std::int64_t arriving = 0;  ///< the message that the next task waits for
  std::int64_t leaving = 0;   ///< what the task before has sent
  std::int64_t moving = 0;    ///< activations that are being stored or loaded: of one layer
  LiveBytes alive;            ///< all of the above

  /// Whether a chunk has microbatches whose input half is still to come, the task's own among them;
  /// where weights stay: from its first pass to the step.
  [[nodiscard]] bool needs_weights(std::size_t chunk) const;
};

/// Which tasks to look at.
enum class TaskSelection : std::uint8_t {
  all_tasks,
  peak_tasks,  ///< leaves out rounds of loops that hold no more than one before them, or less than
               ///< one after them; the first task with the most is always looked at
};

/// Calls `on_moment` for the tasks of the role, in order. While a task runs, the message that the
/// next one waits for arrives and what the one before has made leaves, where the schedule lets
/// communication overlap. O(tasks); at peaks O(tasks as they are written, in loops).
void walk_tasks(const Program& program, const Role& role, const std::vector<ChunkProfile>& chunks,
                TaskSelection look, const std::function<void(const TaskPeak&)>& on_moment);

/// No moment holds more bytes than this, nor does anything that `profile_chunk` and `walk_tasks`
/// add up.
[[nodiscard]] double memory_upper_bound(const Program& program, const Role& role);

}  // namespace orrery::workload

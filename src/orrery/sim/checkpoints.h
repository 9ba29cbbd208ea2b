// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "orrery/core/quantity.h"

namespace orrery::sim {

/// A checkpoint is a file with the state of a run between two ticks. A run that resumes from it has
/// the same result as a run from the beginning.
///
/// Errc: config_conflict (the run cannot be saved, or the file is from another job),
/// input_not_found, input_read, input_corrupt (no checkpoint, or damaged), input_unsupported (of
/// another version of the program), output_failed.
struct Checkpoints {
  std::string file;  ///< path of checkpoints, each of which replaces the last; empty: none
  /// Write one checkpoint, before the first event at this time or later.
  std::optional<Time> at;
  /// Asked about every 16,384 events: whether to write a checkpoint now. Can be empty.
  std::function<bool()> is_due;
  std::string resume;  ///< path of the checkpoint to continue from; empty: from the beginning
  /// Identifies the workload, the platform and the options of the run. A checkpoint with another
  /// text is refused.
  std::string job;

  [[nodiscard]] bool are_used() const { return !file.empty() || !resume.empty(); }
};

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "orrery/core/state/state_writer.h"
#include "orrery/sim/checkpoint/checkpoint_file.h"
#include "orrery/sim/checkpoints.h"

namespace orrery::sim {

/// Decides when a run writes checkpoints, and writes them.
class Checkpointer {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit Checkpointer(const Checkpoints& wanted) : wanted_(wanted) {}

  /// The run begins at `now`; `header` is that of its checkpoints.
  void begin(CheckpointHeader header, std::int64_t now) {
    header_ = std::move(header);
    if (!wanted_.file.empty() && wanted_.at && wanted_.at->count() > now)
      next_ = wanted_.at->count();
  }
  /// When the next checkpoint is written, before all events of this time; kNever: not planned.
  [[nodiscard]] std::int64_t next() const { return next_; }
  /// Plans a checkpoint after the current tick if one is due.
  void poll(std::int64_t now) {
    if (!wanted_.file.empty() && wanted_.is_due && wanted_.is_due())
      next_ = std::min(next_, now + 1);
  }
  /// Writes the checkpoint of next(). Errc: output_failed.
  [[nodiscard]] Result<void> write(const std::function<void(StateWriter&)>& save) {
    next_ = kNever;
    return write_checkpoint(wanted_.file, header_, save);
  }

 private:
  const Checkpoints& wanted_;
  CheckpointHeader header_;
  std::int64_t next_ = kNever;
};

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// The file of a checkpoint: eight bytes of name, the format's version, the identity of program and
// job, the state, and a checksum of everything before it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/graph/workload.h"
#include "orrery/sim/shortcuts/folding/folding_attempts.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

/// Increases when the bytes of a state get another meaning.
inline constexpr std::uint32_t kCheckpointFormat = 1;

/// The attempt that a checkpoint continues: shortcuts that simulate() has disabled after a first
/// attempt, and why.
struct CheckpointAttempt {
  bool fold = false;
  bool closed_forms = true;
  FoldingAttempts folding;
};

/// The program and the job of a checkpoint.
struct CheckpointIdentity {
  std::string program;  ///< identifies the build of the simulator
  std::string job;      ///< identifies workload, platform and options

  friend bool operator==(const CheckpointIdentity&, const CheckpointIdentity&) = default;
};

struct CheckpointHeader {
  CheckpointIdentity identity;
  CheckpointAttempt attempt;
};

/// The identity of a run. O(ranks).
[[nodiscard]] CheckpointIdentity checkpoint_identity(const graph::Workload& workload,
                                                     const Options& options);

/// A checkpoint in memory.
struct CheckpointContent {
  CheckpointAttempt attempt;
  std::string bytes;      ///< of the file
  std::size_t state = 0;  ///< index in `bytes` at which the state begins

  [[nodiscard]] std::string_view state_bytes() const {
    return std::string_view(bytes).substr(state, bytes.size() - sizeof(std::uint64_t) - state);
  }
};

/// Writes a checkpoint atomically, and replaces an existing file. `save` writes the state. Errc:
/// output_failed.
[[nodiscard]] Result<void> write_checkpoint(const std::string& path, const CheckpointHeader& header,
                                            const std::function<void(StateWriter&)>& save);

/// Reads a checkpoint of this program and job. Errc: as Checkpoints.
[[nodiscard]] Result<CheckpointContent> read_checkpoint(const std::string& path,
                                                        const CheckpointIdentity& identity);

/// Errc::input_corrupt: the file at `path` is damaged.
[[nodiscard]] Error damaged_checkpoint(const std::string& path);

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// orrery run --checkpoint and --resume.
#pragma once

#include <string>
#include <tuple>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/config/question_table.h"
#include "orrery/sim/checkpoints.h"

namespace orrery::commands {

/// The options as typed.
struct CheckpointOptions {
  std::string file, at, resume;

  static constexpr std::string_view group = "Checkpoints (docs/checkpoints.md)";
  static constexpr auto fields = std::tuple{
      config::QuestionField{"checkpoint", &CheckpointOptions::file, "--checkpoint", "FILE",
                            config::kNothing, "run.checkpoint",
                            "Write the state of the simulation to this file every minute"}
          .advanced(),
      config::QuestionField{"checkpoint_at", &CheckpointOptions::at, "--checkpoint-at", "TIME",
                            config::kNothing, "5ms",
                            "Write it once, at this simulated time, instead of every minute"}
          .advanced(),
      config::QuestionField{"resume", &CheckpointOptions::resume, "--resume", "FILE",
                            config::kNothing, "run.checkpoint",
                            "Continue from a checkpoint of the same job; the result is the same"}
          .advanced()};

  [[nodiscard]] bool given() const { return !file.empty() || !at.empty() || !resume.empty(); }
};

/// What the simulator needs to know. Errc: usage (a contradiction, no time), output_exists.
[[nodiscard]] Result<sim::Checkpoints> checkpoints_of(const CheckpointOptions& typed,
                                                      const Context& context);

/// Errc::usage: the command has options that do not go with checkpoints.
[[nodiscard]] Result<void> check_checkpoint_options(const CommandOptions& command,
                                                    const CheckpointOptions& typed);

}  // namespace orrery::commands

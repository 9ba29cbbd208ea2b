// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/simulate/run_checkpoints.h"

#include "orrery/core/system/atomic_file.h"
#include "orrery/core/text/units.h"

namespace orrery::commands {

namespace {
constexpr double kSecondsBetween = 60;  // checkpoints
}

Result<sim::Checkpoints> checkpoints_of(const CheckpointOptions& typed, const Context& context) {
  sim::Checkpoints made;
  made.file = typed.file;
  made.resume = typed.resume;
  if (!typed.at.empty()) {
    if (typed.file.empty())
      return fail(Errc::usage, "--checkpoint-at", "needs a file", "--checkpoint FILE");
    const auto at = parse_time(typed.at, "--checkpoint-at");
    if (!at) return tl::unexpected(at.error());
    if (*at <= Time{}) return fail(Errc::usage, "--checkpoint-at", "must be above 0", "5ms");
    made.at = *at;
  } else if (!typed.file.empty()) {
    made.is_due = context.start_timer(kSecondsBetween);
    if (!made.is_due)
      return fail(Errc::usage, "--checkpoint", "needs a simulated time in the library",
                  "--checkpoint-at 5ms");
  }
  if (!typed.file.empty() && typed.file != typed.resume)
    if (auto free = check_absent(typed.file, context.force); !free)
      return tl::unexpected(free.error());
  return made;
}

Result<void> check_checkpoint_options(const CommandOptions& command,
                                      const CheckpointOptions& typed) {
  if (!typed.given()) return {};
  for (const char* name : {"--variability", "--verify-fold", "--open"})
    if (command.is_given(name))
      return fail(Errc::usage, name, "a run with checkpoints does not support it",
                  "leave out --checkpoint and --resume");
  return {};
}

}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on, as a row of the command table.
#pragma once

#include <array>

#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_study_calculon(CommandOptions& command, Context& context);

namespace addons::calculon {

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "study calculon",
     .old_names = "calculon",
     .group = Group::study,
     .summary = "Predict a step, or search its plan, with Calculon's rules",
     .add = add_study_calculon,
     .output = {.file = "Write the best plan, as an execution file"}},
});

}  // namespace addons::calculon
}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on, as a row of the command table.
#pragma once

#include <array>

#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_network_split(CommandOptions& command, Context& context);

namespace addons::split_bandwidth {

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "network split",
     .old_names = "split-bandwidth,study split-bandwidth",
     .group = Group::network,
     .summary = "Split bandwidth among the dimensions of a network for a job",
     .add = add_network_split,
     .output = {.file = "Write the cluster file with the best split to FILE ('-' for stdout)"}},
});

}  // namespace addons::split_bandwidth
}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on, as a row of the command table.
#pragma once

#include <array>

#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_network_noc(CommandOptions& command, Context& context);

namespace addons::noc_traffic {

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "network noc",
     .group = Group::network,
     .summary = "Measure synthetic traffic in a network of routers, cycle by cycle",
     .add = add_network_noc,
     .output = {.file = "Write latency by load to FILE, as a picture (SVG)"}},
});

}  // namespace addons::noc_traffic
}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on.
#pragma once

#include <array>

#include "apps/orrery/command.h"

namespace orrery::app {

Action add_calculon(CLI::App& command, Session& session);

namespace addons::calculon {

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "calculon",
     .group = Group::search,
     .summary = "Predict a step, or search its plan, with Calculon's rules",
     .add = add_calculon,
     .output = {.file = "Write the best plan, as an execution file"}},
});

}  // namespace addons::calculon
}  // namespace orrery::app

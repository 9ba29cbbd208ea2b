// SPDX-License-Identifier: Apache-2.0
#include "command_table.h"

namespace orrery::app {

std::span<const Command> commands() { return kAllCommands; }

}  // namespace orrery::app

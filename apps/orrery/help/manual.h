// SPDX-License-Identifier: Apache-2.0
//
// Manual pages, generated from the table that also defines the command line and --help.
#pragma once

#include <string>

#include "orrery/commands/command.h"

namespace CLI {
class App;
}

namespace orrery::app {

using commands::Command;

/// The page of a command, or of the program if `command` is null, as man(7) source.
[[nodiscard]] std::string manual_page(const CLI::App& table, const Command* command);

/// "orrery-run.1", or "orrery.1" if `command` is null.
[[nodiscard]] std::string manual_name(const Command* command);

}  // namespace orrery::app

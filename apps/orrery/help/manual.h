// SPDX-License-Identifier: Apache-2.0
//
// Manual pages from the table that parses the command line and prints --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace orrery::app {

struct Command;

/// The page of a command, or with nullptr of the program, as man(7) source.
[[nodiscard]] std::string manual_page(const CLI::App& table, const Command* command);

/// "orrery-run.1"; with nullptr "orrery.1".
[[nodiscard]] std::string manual_name(const Command* command);

}  // namespace orrery::app

// SPDX-License-Identifier: Apache-2.0
//
// Manual pages from the table that parses the command line and prints --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace orrery::app {

/// The page of a command, or of the program when `command` is the table itself, as man(7) source.
[[nodiscard]] std::string manual_page(const CLI::App& table, const CLI::App& command);

/// "orrery-run.1"; of the table itself "orrery.1".
[[nodiscard]] std::string manual_name(const CLI::App& table, const CLI::App& command);

}  // namespace orrery::app

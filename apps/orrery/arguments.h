// SPDX-License-Identifier: Apache-2.0
//
// From argv to a command, and what ASTRA-sim's users type instead.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// The command line with all options of all commands(), as CLI11 parses it.
[[nodiscard]] std::unique_ptr<CLI::App> build_table(Session& session);

/// Command lines written for ASTRA-sim: its own long options, with or without the word `run`, or
/// this program under one of ASTRA-sim's names (a link). Options that it would not know are ignored
/// there, so they are here.
struct AstraStyle {
  bool active = false;
  bool congestion_aware = false;  ///< by the program's name
};

/// Looks at argv; puts "run" in front where it is missing. `arguments` excludes argv[0].
[[nodiscard]] AstraStyle recognize_astra(const std::string& program,
                                         std::vector<std::string>& arguments);

/// Parses and sets session.action. Returns an exit code at once for --help, --version and mistakes,
/// else -1.
[[nodiscard]] int parse(CLI::App& table, Session& session, const std::string& program,
                        std::vector<std::string> arguments);

}  // namespace orrery::app

// SPDX-License-Identifier: Apache-2.0
//
// Parses argv into a command. Also accepts command lines of ASTRA-sim.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// A CLI11 parser with all options of all_commands(). It stores the values in the session.
[[nodiscard]] std::unique_ptr<CLI::App> build_table(Session& session);

/// Whether this is a command line for ASTRA-sim: its long options, with or without the word `run`,
/// or this program under one of ASTRA-sim's names (a link). ASTRA-sim ignores unknown options; in
/// this mode, Orrery does, too.
struct AstraStyle {
  bool active = false;
  bool congestion_aware = false;  ///< from the name of the program
};

/// Detects the style from argv and inserts a missing "run" at the front. `arguments` excludes
/// argv[0].
[[nodiscard]] AstraStyle recognize_astra(const std::string& program,
                                         std::vector<std::string>& arguments);

/// Parses the arguments and sets session.action. Returns an exit code for --help, --version and
/// errors, otherwise -1.
[[nodiscard]] int parse(CLI::App& table, Session& session, const std::string& program,
                        std::vector<std::string> arguments);

}  // namespace orrery::app

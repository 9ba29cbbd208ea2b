// SPDX-License-Identifier: Apache-2.0
//
// From argv to a sub-command: the table of all of them, and what ASTRA-sim's users type instead.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// The whole command line as one table: help and completion come from it too.
[[nodiscard]] std::unique_ptr<CLI::App> build_table(Session& session);

/// Command lines written for ASTRA-sim: its own long options, with or without the word `run`, or
/// this program under one of ASTRA-sim's names (a link). Options that it would not know are ignored
/// there, so they are here.
struct AstraStyle {
  bool active = false;
  bool congestion_aware = false;  ///< by the program's name
};

/// Looks at argv; puts "run" in front where it is missing. `arguments` excludes argv[0].
[[nodiscard]] AstraStyle recognize_astra(const CLI::App& table, const std::string& program,
                                         std::vector<std::string>& arguments);

/// Parses and sets session.action. Returns an exit code at once for --help, --version and mistakes,
/// else -1.
[[nodiscard]] int parse(CLI::App& table, Session& session, const std::string& program,
                        std::vector<std::string> arguments);

/// Adds every sub-command of this program: all, or in orrery_first those of first_commands.txt.
void add_commands(CLI::App& table, Session& session);

// One per file of the same name. Each adds its sub-command; parsing it sets session.action.
void add_run(CLI::App& table, Session& session);
void add_generate(CLI::App& table, Session& session);
void add_count(CLI::App& table, Session& session);
void add_memory(CLI::App& table, Session& session);
void add_kernels(CLI::App& table, Session& session);
void add_calibrate(CLI::App& table, Session& session);
void add_embeddings(CLI::App& table, Session& session);
void add_convert(CLI::App& table, Session& session);
void add_cut(CLI::App& table, Session& session);
void add_obfuscate(CLI::App& table, Session& session);
void add_diff(CLI::App& table, Session& session);
void add_replay(CLI::App& table, Session& session);
void add_bench(CLI::App& table, Session& session);
void add_predict(CLI::App& table, Session& session);
void add_stragglers(CLI::App& table, Session& session);
void add_shard(CLI::App& table, Session& session);
void add_split_bandwidth(CLI::App& table, Session& session);
void add_topology(CLI::App& table, Session& session);
void add_together(CLI::App& table, Session& session);
void add_plan(CLI::App& table, Session& session);
void add_collective(CLI::App& table, Session& session);
void add_synthesise(CLI::App& table, Session& session);
void add_whatif(CLI::App& table, Session& session);
void add_scale_down(CLI::App& table, Session& session);
void add_link(CLI::App& table, Session& session);
void add_inspect(CLI::App& table, Session& session);
void add_check(CLI::App& table, Session& session);
void add_schema(CLI::App& table, Session& session);
void add_doctor(CLI::App& table, Session& session);
void add_report(CLI::App& table, Session& session);
void add_critical_path(CLI::App& table, Session& session);
void add_explain(CLI::App& table, Session& session);
void add_compare(CLI::App& table, Session& session);
void add_validate(CLI::App& table, Session& session);
void add_reproduce(CLI::App& table, Session& session);
void add_calculon(CLI::App& table, Session& session);
void add_search(CLI::App& table, Session& session);
void add_demo(CLI::App& table, Session& session);
void add_completion(CLI::App& table, Session& session);
void add_man(CLI::App& table, Session& session);

}  // namespace orrery::app

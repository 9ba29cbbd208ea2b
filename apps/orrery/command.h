// SPDX-License-Identifier: Apache-2.0
//
// What a command is. Dispatch, --help, "did you mean", completion, the manual pages and
// docs/reference/commands.md come from the table in command_table.h, and from those of the add-ons
// (addons/README.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// The headings of `orrery --help`. Hidden commands are for the build system: nothing lists them.
enum class Group : std::uint8_t {
  hidden,
  simulate,
  workloads,
  results,
  what_if,
  search,
  traces,
  kernels,
  clusters,
  accuracy,
  help,
};

/// "Simulate"; of hidden "".
[[nodiscard]] std::string_view heading(Group group);

/// The default of Output::file.
inline constexpr std::string_view kWritesJson = "Write the JSON to FILE ('-' for stdout)";

/// What a command writes besides text on stdout.
struct Output {
  bool json = true;                     ///< has --json
  std::string_view file = kWritesJson;  ///< the description of -o; "": there is no -o
};

/// What the arguments of a command may be, for completion.
struct Words {
  std::vector<std::string_view> (*list)() = nullptr;
  bool files = true;  ///< files as well as the words
};

/// A file format that has a JSON Schema.
struct SchemaFile {
  std::string_view format;  ///< what `orrery schema` calls it
  std::string (*make)() = nullptr;
  /// Instead, of a format that differs by command: of one, or of all where `command` is empty.
  std::string (*of_command)(const CLI::App& table, std::string_view command) = nullptr;
};

/// A module that the program loads when a command needs it. Packages install it separately.
struct PlugIn {
  std::string_view file;     ///< its name; "": there is none
  std::string_view label;    ///< in `orrery --version`: what it needs, and for which command
  std::string_view subject;  ///< of the line in `orrery doctor`
  std::string_view present, missing;  ///< that line
};

struct Command {
  std::string_view name;
  Group group = Group::hidden;
  std::string_view summary;  ///< one line without a full stop; --help begins with it
  /// Adds description and options to the command. Returns what runs it after parsing.
  Action (*add)(CLI::App& command, Session& session) = nullptr;
  Output output;
  Words words;
  std::span<const SchemaFile> schemas;  ///< of the files that only this command reads
  PlugIn plug_in;
};

/// The commands of this program, by group: all, or in orrery_first those of first_commands.txt.
[[nodiscard]] std::span<const Command> commands();

/// The command of that name, or nullptr.
[[nodiscard]] const Command* find_command(std::string_view name);

/// Names of all commands that are not hidden.
[[nodiscard]] std::vector<std::string_view> command_names();

struct CalibrateOptions;
struct EmbeddingsOptions;
struct KernelsOptions;

/// Adds the options that only a mode has to its command. Returns what runs the mode after parsing.
/// `options` are those of the command, and live as long as it does.
template <class Options>
using AddMode = Action (*)(CLI::App& command, const Options& options, Session& session);

/// A mode that an add-on contributes to a command of the core: what the command does if its first
/// argument is a certain word. If the command has that mode already, the add-on replaces it.
struct AddedMode {
  std::string_view mode;     ///< command and word: "kernels fit"
  std::string_view options;  ///< that only it has: "--by --notes"
  std::string_view usage;    ///< lines of --help, each with a line end; may be empty
  std::string_view output;   ///< what -o writes: "fit: the model"; empty: as the command
  std::variant<AddMode<CalibrateOptions>, AddMode<EmbeddingsOptions>, AddMode<KernelsOptions>> add;

  [[nodiscard]] std::string_view command() const { return mode.substr(0, mode.find(' ')); }
  [[nodiscard]] std::string_view word() const { return mode.substr(mode.find(' ') + 1); }
};

/// Those of all add-ons that this program has.
[[nodiscard]] std::span<const AddedMode> added_modes();

/// A command, a mode or an option of an add-on that this build lacks.
struct MissingPart {
  std::string_view words;  ///< "calculon", "kernels fit", "kernels --by"
  std::string_view addon;
};
[[nodiscard]] std::span<const MissingPart> missing_parts();

/// Errc: usage, which names the add-on; empty: no add-on that this build lacks has `words`.
[[nodiscard]] std::optional<Error> missing_part_error(std::string_view words);

/// What runs the modes of add-ons, by word.
using ModeActions = std::map<std::string, Action, std::less<>>;

/// Adds the options of the modes that add-ons contribute to a command.
template <class Options>
[[nodiscard]] ModeActions add_modes(std::string_view name, CLI::App& command,
                                    const Options& options, Session& session) {
  ModeActions actions;
  for (const AddedMode& mode : added_modes())
    if (mode.command() == name)
      actions.emplace(mode.word(), std::get<AddMode<Options>>(mode.add)(command, options, session));
  return actions;
}

/// `words` and the modes that add-ons contribute to a command, each once.
[[nodiscard]] std::vector<std::string_view> with_added_modes(std::string_view name,
                                                             std::vector<std::string_view> words);

/// The lines of --help for the modes that add-ons contribute to a command.
[[nodiscard]] std::string added_usage(std::string_view name);

/// The description of -o: that of the table, and of the modes that add-ons contribute.
[[nodiscard]] std::string output_description(const Command& command);

/// What the first argument of a command selects.
template <class Options>
struct Mode {
  std::string_view name;
  int (*run)(Options& options, Session& session);
};

/// The row of that name, or nullptr.
template <class Table>
[[nodiscard]] auto find_mode(const Table& modes, std::string_view name) {
  const auto found = std::find_if(std::begin(modes), std::end(modes),
                                  [&](const auto& mode) { return mode.name == name; });
  return found == std::end(modes) ? nullptr : &*found;
}

/// The names in a table.
template <class Table>
[[nodiscard]] std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

/// Sets the description of a command: its summary, then `details`, which contain the examples.
void describe(CLI::App& command, std::string_view details);

// One per file of the same name.
Action add_demo(CLI::App& command, Session& session);
Action add_run(CLI::App& command, Session& session);
Action add_together(CLI::App& command, Session& session);
Action add_check(CLI::App& command, Session& session);
Action add_generate(CLI::App& command, Session& session);
Action add_count(CLI::App& command, Session& session);
Action add_memory(CLI::App& command, Session& session);
Action add_report(CLI::App& command, Session& session);
Action add_critical_path(CLI::App& command, Session& session);
Action add_explain(CLI::App& command, Session& session);
Action add_compare(CLI::App& command, Session& session);
Action add_whatif(CLI::App& command, Session& session);
Action add_stragglers(CLI::App& command, Session& session);
Action add_scale_down(CLI::App& command, Session& session);
Action add_search(CLI::App& command, Session& session);
Action add_shard(CLI::App& command, Session& session);
Action add_inspect(CLI::App& command, Session& session);
Action add_convert(CLI::App& command, Session& session);
Action add_link(CLI::App& command, Session& session);
Action add_replay(CLI::App& command, Session& session);
Action add_predict(CLI::App& command, Session& session);
Action add_diff(CLI::App& command, Session& session);
Action add_cut(CLI::App& command, Session& session);
Action add_obfuscate(CLI::App& command, Session& session);
Action add_kernels(CLI::App& command, Session& session);
Action add_embeddings(CLI::App& command, Session& session);
Action add_collective(CLI::App& command, Session& session);
Action add_plan(CLI::App& command, Session& session);
Action add_synthesise(CLI::App& command, Session& session);
Action add_topology(CLI::App& command, Session& session);
Action add_calibrate(CLI::App& command, Session& session);
Action add_validate(CLI::App& command, Session& session);
Action add_schema(CLI::App& command, Session& session);
Action add_doctor(CLI::App& command, Session& session);
Action add_completion(CLI::App& command, Session& session);
Action add_man(CLI::App& command, Session& session);
Action add_install_files(CLI::App& command, Session& session);

// What the first argument of a command may be, next to its add function.
[[nodiscard]] std::vector<std::string_view> metric_words();
[[nodiscard]] std::vector<std::string_view> calibration_words();
[[nodiscard]] std::vector<std::string_view> collective_words();
[[nodiscard]] std::vector<std::string_view> embeddings_words();
[[nodiscard]] std::vector<std::string_view> kernel_words();
[[nodiscard]] std::vector<std::string_view> schema_formats();
[[nodiscard]] std::vector<std::string_view> shell_names();
[[nodiscard]] std::vector<std::string_view> synthesis_words();

}  // namespace orrery::app

// SPDX-License-Identifier: Apache-2.0
//
// The description of a command. Dispatch, --help, "did you mean", completion, the manual pages and
// docs/reference/commands.md come from the table in command_table.h, and from those of the add-ons
// (addons/README.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"

namespace orrery::commands {

/// The groups of commands, in the order of `orrery --help`. Hidden commands are for the build
/// system and are not listed.
enum class Group : std::uint8_t {
  everyday,
  reports,
  trace,
  job,
  network,
  collective,
  dlrm,
  accuracy,
  study,
  tool,
  hidden,
};

/// A group of commands.
struct GroupInfo {
  std::string_view heading;  ///< in `orrery --help`: "Traces"; "" for hidden commands
  /// The first word of its commands: "trace". Empty: its commands have one word.
  std::string_view word;
  std::string_view summary;  ///< of `orrery trace --help`, without a full stop
};
[[nodiscard]] const GroupInfo& describe(Group group);

/// The group whose commands begin with this word.
[[nodiscard]] std::optional<Group> find_group(std::string_view word);

/// The default of Output::file.
inline constexpr std::string_view kWritesJson = "Write the JSON to FILE ('-' for stdout)";

/// Output of a command in addition to text on stdout.
struct Output {
  bool json = true;                     ///< has --json
  std::string_view file = kWritesJson;  ///< the description of -o; "": there is no -o
};

/// Possible arguments of a command, for completion.
struct ArgumentChoices {
  std::vector<std::string_view> (*list)() = nullptr;
  bool files = true;  ///< whether it also accepts file names
};

/// A file format with a JSON Schema.
struct SchemaFile {
  std::string_view format;  ///< name in `orrery schema`
  std::string (*make)() = nullptr;
  /// For a format that depends on the command; `command` empty: the schema of all commands.
  std::string (*of_command)(Context& context, std::string_view command) = nullptr;
};

/// A module that the program loads when a command needs it. Packages install it separately.
struct PlugIn {
  std::string_view file;     ///< file name; "": none
  std::string_view label;    ///< in `orrery --version`: its library, and the command that uses it
  std::string_view subject;  ///< label in `orrery doctor`
  std::string_view present, missing;  ///< text of that line
};

struct Command {
  std::string_view name;  ///< "run", "trace info"
  /// Names of earlier releases, which are accepted with a warning: "check"; separated by ",".
  std::string_view old_names;
  Group group = Group::hidden;
  std::string_view summary;  ///< one line without a full stop; --help begins with it
  /// Adds description and options to the command. Returns the function that runs it after parsing.
  Action (*add)(CommandOptions& command, Context& context) = nullptr;
  Output output;
  ArgumentChoices words;
  std::span<const SchemaFile> schemas;  ///< for files that only this command reads
  PlugIn plug_in;
};

/// The action of a command whose only options are the fields of `Options`, and those of the
/// context.
template <class Options>
[[nodiscard]] Action action_with_options(CommandOptions& command, Context& context,
                                         int (*run)(Options&, Context&)) {
  const auto options = std::make_shared<std::remove_const_t<Options>>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, run, &context] { return run(*options, context); };
}

/// The commands of this program, by group: all of them, or those of first_commands.txt in
/// orrery_first.
[[nodiscard]] std::span<const Command> all_commands();

/// The command with this name or this old name, or nullptr.
[[nodiscard]] const Command* find_command(std::string_view name);

/// Names of all commands that are not hidden.
[[nodiscard]] std::vector<std::string_view> command_names();

struct CalibrateOptions;
struct EmbeddingsOptions;
struct KernelsOptions;

/// Adds the options of a mode to its command. Returns the function that runs the mode after
/// parsing. `options`: those of the command; they live as long as it.
template <class Options>
using AddMode = Action (*)(CommandOptions& command, const Options& options, Context& context);

/// A mode that an add-on contributes to a command of the core. The first argument of the command
/// selects its mode. If the command already has the mode, the add-on replaces it.
struct AddedMode {
  std::string_view mode;     ///< command and word: "kernels fit", "dlrm lookup synthesize"
  std::string_view options;  ///< of this mode only: "--by --notes"
  std::string_view usage;    ///< lines of --help, each with a newline; may be empty
  std::string_view output;   ///< description of -o: "fit: the model"; empty: as for the command
  std::variant<AddMode<CalibrateOptions>, AddMode<EmbeddingsOptions>, AddMode<KernelsOptions>> add;

  [[nodiscard]] std::string_view command() const { return mode.substr(0, mode.rfind(' ')); }
  [[nodiscard]] std::string_view word() const { return mode.substr(mode.rfind(' ') + 1); }
};

/// The modes of all add-ons of this program.
[[nodiscard]] std::span<const AddedMode> added_modes();

/// A command, a mode or an option of an add-on that this build lacks.
struct MissingPart {
  std::string_view words;  ///< "calculon", "kernels fit", "kernels --by"
  std::string_view addon;
};
[[nodiscard]] std::span<const MissingPart> missing_parts();

/// An error that names the add-on (Errc: usage); empty if no missing add-on has `words`.
[[nodiscard]] std::optional<Error> missing_part_error(std::string_view words);

/// Functions that run the modes of add-ons, by word.
using ModeActions = std::map<std::string, Action, std::less<>>;

/// Adds the options of the modes that add-ons contribute to a command.
template <class Options>
[[nodiscard]] ModeActions add_modes(std::string_view name, CommandOptions& command,
                                    const Options& options, Context& context) {
  ModeActions actions;
  for (const AddedMode& mode : added_modes())
    if (mode.command() == name)
      actions.emplace(mode.word(), std::get<AddMode<Options>>(mode.add)(command, options, context));
  return actions;
}

/// `words` and the modes that add-ons contribute to a command, without duplicates.
[[nodiscard]] std::vector<std::string_view> with_added_modes(std::string_view name,
                                                             std::vector<std::string_view> words);

/// The lines of --help for the modes that add-ons contribute to a command.
[[nodiscard]] std::string added_usage(std::string_view name);

/// The description of -o from the table, and from the modes that add-ons contribute.
[[nodiscard]] std::string output_description(const Command& command);

/// A mode of a command, selected by its first argument.
template <class Options>
struct Mode {
  std::string_view name;
  int (*run)(Options& options, Context& context);
};

/// The row with this name, or nullptr.
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
void describe(CommandOptions& command, std::string_view details);

/// A command and its options. It owns their values.
struct BoundCommand {
  BoundCommand(const Command& command, Context& context);
  BoundCommand(const BoundCommand&) = delete;  // `action` refers to `options`
  BoundCommand& operator=(const BoundCommand&) = delete;
  CommandOptions options;
  Action action;  ///< checks the options, then runs the command
};

// One function per file with the same name.
Action add_run(CommandOptions& command, Context& context);
Action add_goodput(CommandOptions& command, Context& context);
Action add_infer(CommandOptions& command, Context& context);
Action add_job_together(CommandOptions& command, Context& context);
Action add_trace_validate(CommandOptions& command, Context& context);
Action add_job_generate(CommandOptions& command, Context& context);
Action add_job_count(CommandOptions& command, Context& context);
Action add_memory(CommandOptions& command, Context& context);
Action add_report(CommandOptions& command, Context& context);
Action add_critical_path(CommandOptions& command, Context& context);
Action add_explain(CommandOptions& command, Context& context);
Action add_compare(CommandOptions& command, Context& context);
Action add_whatif(CommandOptions& command, Context& context);
Action add_trace_stragglers(CommandOptions& command, Context& context);
Action add_trace_scale_down(CommandOptions& command, Context& context);
Action add_network_check(CommandOptions& command, Context& context);
Action add_network_compare(CommandOptions& command, Context& context);
Action add_search(CommandOptions& command, Context& context);
Action add_dlrm_shard(CommandOptions& command, Context& context);
Action add_trace_info(CommandOptions& command, Context& context);
Action add_trace_convert(CommandOptions& command, Context& context);
Action add_trace_merge(CommandOptions& command, Context& context);
Action add_trace_replay(CommandOptions& command, Context& context);
Action add_trace_predict(CommandOptions& command, Context& context);
Action add_trace_diff(CommandOptions& command, Context& context);
Action add_trace_learn(CommandOptions& command, Context& context);
Action add_trace_synthesize(CommandOptions& command, Context& context);
Action add_trace_slice(CommandOptions& command, Context& context);
Action add_trace_anonymize(CommandOptions& command, Context& context);
Action add_kernels(CommandOptions& command, Context& context);
Action add_dlrm_lookup(CommandOptions& command, Context& context);
Action add_collective_compare(CommandOptions& command, Context& context);
Action add_collective_check(CommandOptions& command, Context& context);
Action add_collective_synthesize(CommandOptions& command, Context& context);
Action add_network_show(CommandOptions& command, Context& context);
Action add_calibrate(CommandOptions& command, Context& context);
Action add_mfu(CommandOptions& command, Context& context);
Action add_accuracy(CommandOptions& command, Context& context);
Action add_list(CommandOptions& command, Context& context);
[[nodiscard]] std::vector<std::string_view> list_words();
Action add_schema(CommandOptions& command, Context& context);

// Possible first arguments of a command; each is defined next to its add function.
[[nodiscard]] std::vector<std::string_view> metric_words();
[[nodiscard]] std::vector<std::string_view> calibration_words();
[[nodiscard]] std::vector<std::string_view> collective_words();
[[nodiscard]] std::vector<std::string_view> embeddings_words();
[[nodiscard]] std::vector<std::string_view> kernel_words();
[[nodiscard]] std::vector<std::string_view> schema_formats();
[[nodiscard]] std::vector<std::string_view> synthesis_words();
[[nodiscard]] std::vector<std::string_view> whatif_words();

}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "exit_codes.h"
#include "orrery/core/text/suggest.h"
#include "resources/build_info.h"
#include "table_command.h"

namespace orrery::app {

namespace {

std::string exit_code_text() {
  std::string text = "Exit codes:";
  for (const ExitCode& code : kExitCodes)
    text += fmt::format("\n  {:<5}{}", code.code, code.meaning);
  return text;
}

constexpr std::array<std::string_view, 5> kAstraOptions = {
    "--workload-configuration", "--system-configuration", "--network-configuration",
    "--remote-memory-configuration", "--comm-group-configuration"};

std::string lower_name_of(const std::string& program) {
  std::string name = program.substr(program.find_last_of('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_astra_option(std::string_view argument) {
  const std::string_view option = argument.substr(0, argument.find('='));
  return std::find(kAstraOptions.begin(), kAstraOptions.end(), option) != kAstraOptions.end();
}

class Help : public CLI::Formatter {
 public:
  std::string make_subcommand(const CLI::App* sub) const override {
    return fmt::format("  {:<17}{}\n", sub->get_name(), find_command(sub->get_name())->summary);
  }
};

void add_command(CLI::App& table, const Command& command, Session& session) {
  const auto sub = std::make_shared<TableCommand>(command, session, &table);
  table.add_subcommand(sub);
  sub->group(std::string(heading(command.group)));
  sub->allow_extras();
  sub->callback([action = sub->bound().action, name = command.name, &session] {
    session.command = name;
    session.action = action;
  });
}

/// The parsed sub-command, or the table itself.
CLI::App& chosen(CLI::App& table) {
  const auto used = table.get_subcommands();
  return used.empty() ? table : *used.front();
}

std::string near_option(std::string_view word, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(word, views);
}

int fail_usage(const Session& session, std::string_view what, std::string hint) {
  const std::string command = session.command.empty() ? "orrery" : "orrery " + session.command;
  if (hint.empty()) hint = fmt::format("'{} --help' shows the usage", command);
  return session.fail({Errc::usage, "", std::string(what), std::move(hint)});
}

/// CLI11 would also search later words for a command: `orrery bench run` is not `run`.
int check_command(const std::vector<std::string>& arguments, const Session& session) {
  if (arguments.empty() || arguments[0].empty() || arguments[0][0] == '-') return -1;
  if (find_command(arguments[0]) != nullptr) return -1;
  if (const auto error = missing_part_error(arguments[0])) return session.fail(*error);
  return fail_usage(session, fmt::format("there is no command '{}'", arguments[0]),
                    did_you_mean(arguments[0], command_names()));
}

/// Reports a mode or an option of an add-on that this build lacks.
int check_addons(CLI::App& table, const Session& session) {
  CLI::App& command = chosen(table);
  if (&command == &table) return -1;
  const std::vector<std::string> rest = table.remaining(true);
  std::optional<Error> error;
  const Command& row = *find_command(command.get_name());
  for (const FieldRecord& field : table_command(command).fields()) {
    if (error || field.name != "words" || row.words.list == nullptr) continue;
    const std::vector<std::string> words = field.values();
    const std::vector<std::string_view> known = row.words.list();
    if (!words.empty() && std::find(known.begin(), known.end(), words.front()) == known.end())
      error = missing_part_error(fmt::format("{} {}", row.name, words.front()));
  }
  for (const std::string& word : rest)
    if (!error && word.starts_with("--"))
      error = missing_part_error(fmt::format("{} {}", row.name, word.substr(0, word.find('='))));
  return error ? session.fail(*error) : -1;
}

/// Reports unknown arguments; with ASTRA-sim's options, ignores them instead.
int check_leftovers(CLI::App& table, Session& session, bool astra) {
  CLI::App& command = chosen(table);
  for (const std::string& word : table.remaining(true)) {
    if (astra) {
      session.ignored_options.push_back(word);
      continue;
    }
    if (!word.empty() && word[0] == '-' && word != "-") {
      const std::string name = word.substr(0, word.find('='));
      return fail_usage(session, fmt::format("there is no option '{}'", name),
                        near_option(name, command));
    }
    return fail_usage(session, fmt::format("'{}' is an unexpected argument", word), "");
  }
  return -1;
}

}  // namespace

AstraStyle recognize_astra(const std::string& program, std::vector<std::string>& arguments) {
  AstraStyle style;
  const std::string name = lower_name_of(program);
  const bool by_name =
      name.find("congestion_") != std::string::npos || name.find("astrasim") != std::string::npos;
  style.congestion_aware = name.find("congestion_aware") != std::string::npos;
  const bool has_command = !arguments.empty() && find_command(arguments[0]) != nullptr;
  const bool by_option = std::any_of(arguments.begin(), arguments.end(), is_astra_option);
  const bool asks_help =
      !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "--version");
  if (has_command ? arguments[0] == "run" && by_option : (by_option || by_name) && !asks_help) {
    style.active = true;
    if (!has_command) arguments.insert(arguments.begin(), "run");
  }
  return style;
}

std::unique_ptr<CLI::App> build_table(Session& session) {
  auto table = std::make_unique<CLI::App>(
      "Orrery simulates machine-learning training jobs on clusters.\n"
      "\n"
      "Examples:\n"
      "  orrery demo\n"
      "  orrery run llama/w --cluster cluster.yaml\n",
      "orrery");
  table->set_version_flag("--version", version_text,
                          "Print the version, the commit and what is built in");
  table->footer("\n" + exit_code_text());
  table->formatter(std::make_shared<Help>());
  table->require_subcommand(0, 1);
  table->allow_extras();
  for (const Command& command : all_commands()) add_command(*table, command, session);
  return table;
}

int parse(CLI::App& table, Session& session, const std::string& program,
          std::vector<std::string> arguments) {
  const AstraStyle astra = recognize_astra(program, arguments);
  if (astra.active && astra.congestion_aware) session.congestion_aware_name = true;
  session.astra_options = astra.active;
  // The option table may fail before a sub-command's options are known; messages still name it.
  if (!arguments.empty() && find_command(arguments[0]) != nullptr) session.command = arguments[0];
  if (const int code = check_command(arguments, session); code >= 0) return code;
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  try {
    table.parse(arguments);
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + "\n") ? kOk : kUsage;
  } catch (const CLI::CallForHelp&) {
    return print(table.help()) ? kOk : kUsage;
  } catch (const CLI::ParseError& error) {
    return fail_usage(session, error.what(), "");
  }
  if (const int code = check_addons(table, session); code >= 0) return code;
  if (const int code = check_leftovers(table, session, astra.active); code >= 0) return code;
  if (!session.action) {
    print_stderr(table.help() + "\n");
    return fail_usage(session, "no command is given", "");
  }
  TableCommand& command = table_command(chosen(table));
  if (const auto error = command.finish()) return session.fail(*error);
  if (session.json || !session.output.empty())
    session.question = question_json(command.bound().options);
  if (auto fine = session.check_output(); !fine) return session.fail(fine.error());
  return -1;
}

}  // namespace orrery::app

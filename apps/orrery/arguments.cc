// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "help_text.h"
#include "hint_words.h"
#include "orrery/commands/renamed_options.h"
#include "orrery/core/text/suggest.h"
#include "resources/build_info.h"
#include "table_command.h"

namespace orrery::app {

namespace {

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
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
    const auto* command = dynamic_cast<const TableCommand*>(app);
    return command == nullptr ? program_help()
                              : command_help(*command, mode == CLI::AppFormatMode::All);
  }
};

void add_command(CLI::App& table, const Command& command, Session& session) {
  const auto sub = std::make_shared<TableCommand>(command, session, &table);
  table.add_subcommand(sub);
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

std::vector<std::string_view> commands_in(Group group) {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands())
    if (command.group == group) names.push_back(command.name);
  return names;
}

/// The help that a user asks for, by increasing detail.
enum class HelpRequest : std::uint8_t { none, brief, all };

HelpRequest help_option(std::string_view word) {
  if (word == "--help-all") return HelpRequest::all;
  return word == "--help" || word == "-h" ? HelpRequest::brief : HelpRequest::none;
}

/// Removes all words that ask for help: options anywhere before "--"; "help" as the first word,
/// after a group, and as the only argument of a command.
HelpRequest take_help(std::vector<std::string>& arguments) {
  HelpRequest asked = HelpRequest::none;
  const auto last = std::find(arguments.begin(), arguments.end(), "--");
  const auto rest = std::remove_if(arguments.begin(), last, [&](const std::string& word) {
    asked = std::max(asked, help_option(word));
    return help_option(word) != HelpRequest::none;
  });
  arguments.erase(rest, last);
  const auto take_word = [&](std::size_t at) {
    while (at < arguments.size() && arguments[at] == "help") {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(at));
      asked = std::max(asked, HelpRequest::brief);
    }
  };
  take_word(0);
  if (arguments.empty()) return asked;
  const bool group = find_group(arguments[0]).has_value();
  if (group) take_word(1);
  const std::size_t words = group ? 2 : 1;  // of the name of a command
  if (arguments.size() != words + 1) return asked;
  if (find_command(group ? arguments[0] + " " + arguments[1] : arguments[0]) != nullptr)
    take_word(words);
  return asked;
}

/// Whether `word` may be an argument of the command.
bool is_argument_of(const Command& command, const std::string& word) {
  if (word.starts_with('-')) return true;
  const auto words =
      command.words.list == nullptr ? std::vector<std::string_view>() : command.words.list();
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Reports an unknown command, and points to the one that the user may mean. `group`: the first
/// word of `name` if it is a group; empty: none.
int fail_unknown(const Session& session, const std::string& name, std::string_view group,
                 const std::vector<std::string_view>& candidates) {
  if (const auto error = missing_part_error(name)) return session.fail(*error);
  std::string hint(hint_for_word(name));
  std::vector<std::string_view> words;  // without the group
  for (const std::string_view one : candidates)
    words.push_back(one.substr(group.empty() ? 0 : group.size() + 1));
  const std::string_view near =
      nearest(std::string_view(name).substr(group.empty() ? 0 : group.size() + 1), words);
  if (hint.empty() && !near.empty())
    hint = fmt::format("did you mean \"{}{}{}\"?", group, group.empty() ? "" : " ", near);
  if (hint.empty() && !group.empty())
    hint = fmt::format("the commands of '{}' are {}", group, join(words));
  return fail_usage(session, fmt::format("there is no command '{}'", name), std::move(hint));
}

/// Joins "trace", "info" to one argument. Returns the exit code of an error, otherwise -1.
int resolve_group(std::vector<std::string>& arguments, Group group, const Session& session) {
  const std::string word = arguments[0];
  if (arguments.size() == 1) {
    print_stderr(group_help(group) + "\n");
    return fail_usage(session, fmt::format("'{}' needs the name of a command", word), "");
  }
  const std::string name = word + " " + arguments[1];
  if (find_command(name) != nullptr) {
    arguments[0] = name;
    arguments.erase(arguments.begin() + 1);
    return -1;
  }
  const Command* old = find_command(word);  // `orrery collective all_reduce`, of earlier releases
  if (old != nullptr && is_argument_of(*old, arguments[1])) return -1;
  return fail_unknown(session, name, word, commands_in(group));
}

/// Refuses names that options had in earlier releases. Returns the exit code, otherwise -1.
int refuse_old_options(const std::vector<std::string>& arguments, const Session& session) {
  for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string option = arguments[i].substr(0, arguments[i].find('='));
    const std::string_view now = renamed_option(session.command, option);
    if (!now.empty())
      return fail_usage(session, fmt::format("there is no option '{}'", option),
                        fmt::format("since 0.6 it is '{}'", now));
  }
  return -1;
}

/// Refuses "--model=": CLI11 would take the next word as the value. Returns the exit code,
/// otherwise -1.
int refuse_empty_values(const std::vector<std::string>& arguments, const Session& session) {
  for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& word = arguments[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return session.fail(empty_value_error(word.substr(0, word.size() - 1)));
  }
  return -1;
}

/// CLI11 would also search later words for a command: `orrery bench run` is not `run`.
int resolve_command(std::vector<std::string>& arguments, Session& session) {
  if (arguments.empty() || arguments[0].empty() || arguments[0][0] == '-') return -1;
  if (const auto group = find_group(arguments[0]))
    if (const int code = resolve_group(arguments, *group, session); code >= 0) return code;
  const Command* command = find_command(arguments[0]);
  if (command == nullptr) return fail_unknown(session, arguments[0], {}, command_names());
  if (arguments[0] != command->name)
    return fail_usage(session, fmt::format("there is no command '{}'", arguments[0]),
                      fmt::format("since 0.6 it is 'orrery {}'", command->name));
  session.command = command->name;
  if (const int code = refuse_old_options(arguments, session); code >= 0) return code;
  return refuse_empty_values(arguments, session);
}

/// Prints help of the program, of a group or of exit codes, and returns the exit code. Of a
/// command, it leaves the name and the option for CLI11, and returns -1. `arguments`: without words
/// that ask for help.
int show_help(HelpRequest asked, std::vector<std::string>& arguments, Session& session) {
  if (arguments.empty()) return print(program_help()) ? kOk : kUsage;
  if (arguments[0] == "exit-codes") return print(exit_code_help()) ? kOk : kUsage;
  const auto group = find_group(arguments[0]);
  if (group && arguments.size() == 1) return print(group_help(*group)) ? kOk : kUsage;
  if (const int code = resolve_command(arguments, session); code >= 0) return code;
  // Other arguments may be incomplete.
  if (!arguments[0].starts_with('-')) arguments.resize(1);
  arguments.emplace_back(asked == HelpRequest::all ? "--help-all" : "--help");
  return -1;
}

/// Arguments that are names of commands: "man trace info", "schema output trace info".
void join_names(std::vector<std::string>& arguments) {
  if (arguments.empty() || (arguments[0] != "man" && arguments[0] != "schema")) return;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (i + 1 < arguments.size() && find_group(arguments[i]) &&
        find_command(arguments[i] + " " + arguments[i + 1]) != nullptr) {
      arguments[i] += " " + arguments[i + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    if (const Command* command = find_command(arguments[i]))
      if (arguments[0] == "man" || i > 1) arguments[i] = command->name;
  }
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
  auto table = std::make_unique<CLI::App>(program_description(), "orrery");
  table->set_version_flag("-V,--version", version_text,
                          "Print the version, the commit and what is built in");
  table->set_help_all_flag("--help-all", "Print all options");
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
  const HelpRequest help = take_help(arguments);
  // The option table may fail before a sub-command's options are known; messages still name it.
  if (const int code = help != HelpRequest::none ? show_help(help, arguments, session)
                                                 : resolve_command(arguments, session);
      code >= 0)
    return code;
  join_names(arguments);
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  try {
    table.parse(arguments);
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + "\n") ? kOk : kUsage;
  } catch (const CLI::CallForHelp&) {
    return print(table.help()) ? kOk : kUsage;
  } catch (const CLI::CallForAllHelp&) {
    return print(table.help("", CLI::AppFormatMode::All)) ? kOk : kUsage;
  } catch (const CLI::ParseError& error) {
    return fail_usage(session, error.what(), "");
  }
  if (const int code = check_addons(table, session); code >= 0) return code;
  if (const int code = check_leftovers(table, session, astra.active); code >= 0) return code;
  if (!session.action) {
    print_stderr(program_help() + "\n");
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

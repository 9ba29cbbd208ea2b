// SPDX-License-Identifier: Apache-2.0
#include "help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exit_codes.h"
#include "orrery/core/text/text_lines.h"
#include "orrery/report/terminal_text.h"

namespace orrery::app {

namespace {

/// A name and its description, which is wrapped at kHelpWidth and indented by `indent`.
std::string entry(const std::string& name, std::string_view about, std::size_t indent) {
  std::string text = "  " + name;
  std::size_t column = 2 + report::columns(name);
  if (column + 2 > indent) {
    text += "\n";
    column = 0;
  }
  bool first = true;
  while (!about.empty()) {
    const std::size_t end = std::min(about.find_first_of(" \n"), about.size());
    const std::string_view word = about.substr(0, end);
    about.remove_prefix(std::min(end + 1, about.size()));
    if (word.empty()) continue;
    const std::size_t width = report::columns(word);
    if (!first && column + 1 + width > kHelpWidth) {
      text += "\n";
      column = 0;
    }
    const std::size_t pad = column < indent ? indent - column : 1;
    text.append(pad, ' ').append(word);
    column += pad + width;
    first = false;
  }
  return text + "\n";
}

/// The names of an option that help shows: a letter and the first long name, or all names.
std::string shown_names(std::string_view names, bool all) {
  std::string shown;
  bool has_long = false;
  for (; !names.empty();) {
    const std::string one = first_name(names);
    names.remove_prefix(std::min(one.size() + 1, names.size()));
    const bool is_long = one.starts_with("--");
    if (is_long && has_long && !all) continue;
    has_long = has_long || is_long;
    shown += (shown.empty() ? "" : ", ") + one;
  }
  return shown;
}

struct HelpOption {
  std::string group, name, about;
  bool is_argument = false, is_advanced = false;
};

HelpOption option_of(const FieldRecord& field, bool all) {
  HelpOption option{field.group, shown_names(field.options, all), field.help,
                    field.options.front() != '-', field.is_advanced && !field.is_required};
  if (option.is_argument) {
    if (field.kind.is_list) option.name += " ...";
    if (!field.is_required) option.name = "[" + option.name + "]";
    return option;
  }
  if (!field.type.empty()) option.name += " " + field.type;
  if (field.value_optional) option.about += " (the value is optional)";
  if (!field.default_text.empty())
    option.about += fmt::format(" (default: {})", field.default_text);
  if (!field.modes.empty()) option.about += fmt::format(" (only for {})", field.modes);
  if (!field.excludes.empty()) option.about += fmt::format(" (not with {})", field.excludes);
  if (field.is_required) option.about += " (required)";
  return option;
}

HelpOption option_of(const ExtraOption& extra, bool all) {
  HelpOption option{extra.group, shown_names(extra.names, all), extra.help,
                    extra.names.front() != '-', extra.is_advanced};
  if (option.is_argument) {
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(extra.value);
    option.name = fmt::format("[{}{}]", option.name, is_list ? " ..." : "");
  } else if (!extra.type.empty()) {
    option.name += (extra.is_flag ? "" : " ") + extra.type;
  }
  return option;
}

std::vector<HelpOption> options_of(const BoundCommand& bound, bool all) {
  std::vector<HelpOption> options;
  for (const FieldRecord& field : bound.options.fields)
    if (!field.options.empty() && !field.group.empty()) options.push_back(option_of(field, all));
  for (const ExtraOption& extra : bound.options.extras)
    if (!extra.group.empty()) options.push_back(option_of(extra, all));
  return options;
}

/// The options by group. Returns the number of advanced options that it leaves out.
std::size_t append_options(std::string& text, const std::vector<HelpOption>& options, bool all) {
  constexpr std::size_t kMostIndent = 30;
  std::size_t hidden = 0, indent = 0;
  std::vector<std::string> groups;
  for (const HelpOption& option : options) {
    if (option.is_advanced && !all) {
      ++hidden;
      continue;
    }
    const std::size_t width = report::columns(option.name) + 4;
    if (width <= kMostIndent) indent = std::max(indent, width);
    if (!option.is_argument &&
        std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  }
  const auto section = [&](std::string_view title, const auto& wanted) {
    std::string rows;
    for (const HelpOption& option : options)
      if ((!option.is_advanced || all) && wanted(option))
        rows += entry(option.name, option.about, indent);
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", title, rows);
  };
  section("Arguments", [](const HelpOption& option) { return option.is_argument; });
  for (const std::string& group : groups)
    section(group,
            [&](const HelpOption& option) { return !option.is_argument && option.group == group; });
  return hidden;
}

std::string commands_of(Group group, std::size_t indent) {
  std::string text;
  for (const Command& command : all_commands())
    if (command.group == group) text += entry(std::string(command.name), command.summary, indent);
  return text;
}

/// "info, validate, merge": the commands of a group without its word.
std::string last_words(Group group) {
  std::string text;
  for (const Command& command : all_commands()) {
    if (command.group != group) continue;
    text += text.empty() ? "" : ", ";
    text += command.name.substr(command.name.rfind(' ') + 1);
  }
  return text;
}

constexpr std::size_t kCommandIndent = 25, kWordIndent = 17;

}  // namespace

HelpParts help_parts(std::string_view description) {
  HelpParts parts;
  bool in_examples = false;
  const std::vector<std::string_view> lines = text_lines(description);
  for (std::size_t i = 1; i < lines.size(); ++i) {  // the summary is first
    const std::string_view line = lines[i];
    if (line == "Examples:") {
      in_examples = true;
    } else if (in_examples && line.starts_with("  ")) {
      parts.examples.emplace_back(line);
    } else {
      in_examples = false;
      if (!line.empty() || (!parts.text.empty() && !parts.text.back().empty()))
        parts.text.emplace_back(line);
    }
  }
  while (!parts.text.empty() && parts.text.back().empty()) parts.text.pop_back();
  return parts;
}

std::string exit_code_help() {
  std::string text = "Exit codes:\n";
  for (const ExitCode& code : kExitCodes) text += entry(std::to_string(code.code), code.meaning, 7);
  return text;
}

std::string program_description() {
  return "Orrery simulates machine-learning jobs on clusters: step time, its breakdown, what-if.\n"
         "\n"
         "Examples:\n"
         "  orrery demo\n"
         "  orrery run --model llama-3.1-8b --tp 4 --dp 2 --cluster h100-sxm:8\n"
         "  orrery search --model llama-3.1-70b --cluster h100-sxm:64\n"
         "  orrery trace info 'traces/*.json.gz'\n";
}

std::string program_help() {
  std::string text = program_description() + "\nUsage: orrery COMMAND [ARGUMENTS] [OPTIONS]\n";
  std::string groups;
  for (int i = 0; i < static_cast<int>(Group::hidden); ++i) {
    const auto group = static_cast<Group>(i);
    const GroupInfo& info = describe(group);
    if (!info.word.empty()) {
      const std::string names = last_words(group);
      if (!names.empty())
        groups +=
            entry(std::string(info.word), fmt::format("{}: {}", info.summary, names), kWordIndent);
    } else if (const std::string rows = commands_of(group, kWordIndent); !rows.empty()) {
      text += fmt::format("\n{}:\n{}", info.heading, rows);
    }
  }
  if (!groups.empty()) text += "\nGroups of commands:\n" + groups;
  return text +
         "\n"
         "'orrery COMMAND --help' shows the options of a command, 'orrery GROUP --help' the "
         "commands.\n"
         "'orrery help exit-codes' lists the exit codes, 'orrery --version' (-V) the version.\n";
}

std::string group_help(Group group) {
  const GroupInfo& info = describe(group);
  return fmt::format(
      "{}.\n\nUsage: orrery {} COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n{}\n"
      "'orrery {} COMMAND --help' shows examples and options.\n",
      info.summary, info.word, commands_of(group, kCommandIndent), info.word);
}

std::string command_help(const TableCommand& command, bool all) {
  const std::string name = command.get_name();
  const HelpParts parts = help_parts(command.get_description());
  std::string text(find_command(name)->summary);
  text += ".\n";
  if (!parts.examples.empty()) text += "\nExamples:\n";
  for (const std::string& line : parts.examples) text += line + "\n";
  const std::vector<HelpOption> options = options_of(command.bound(), all);
  text += "\nUsage: orrery " + name;
  for (const HelpOption& option : options)
    if (option.is_argument && (all || !option.is_advanced)) text += " " + option.name;
  text += " [OPTIONS]\n";
  if (!parts.text.empty()) text += "\n";
  for (const std::string& line : parts.text) text += line + "\n";
  const std::size_t hidden = append_options(text, options, all);
  if (hidden > 0)
    text += fmt::format("\n'orrery {} --help-all' shows {} more {}.\n", name, hidden,
                        hidden == 1 ? "option" : "options");
  return text;
}

}  // namespace orrery::app

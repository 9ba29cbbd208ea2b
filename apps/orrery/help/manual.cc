// SPDX-License-Identifier: Apache-2.0
#include "help/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "exit_codes.h"
#include "help_text.h"
#include "orrery/commands/command.h"
#include "resources/build_info.h"

namespace orrery::app {

namespace {

/// Escapes text for roff. Hyphens of options and commands stay ASCII, for copying.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\(rs";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// Filled text between indented, unfilled lines.
class Body {
 public:
  void add(std::string_view line) {
    if (line.starts_with("  ")) {
      if (!std::exchange(unfilled_, true)) text_ += fresh_ ? ".nf\n" : ".sp\n.nf\n";
      text_ += escaped(line) + "\n";
    } else if (line.empty()) {
      end();
      paragraph_ = true;
      return;
    } else {
      const bool after_lines = unfilled_;
      end();
      if (!fresh_ && (after_lines || paragraph_)) text_ += ".PP\n";
      text_ += escaped(line) + "\n";
    }
    paragraph_ = false;
    fresh_ = false;
  }
  std::string take() {
    end();
    return std::move(text_);
  }

 private:
  void end() {
    if (std::exchange(unfilled_, false)) text_ += ".fi\n";
  }

  std::string text_;
  bool unfilled_ = false, paragraph_ = false, fresh_ = true;
};

struct Description {
  std::string text;      ///< without the examples
  std::string examples;  ///< "" or the indented lines
};

Description description_of(const CLI::App& command) {
  const HelpParts parts = help_parts(command.get_description());
  Body text, examples;
  text.add(command.get_description().substr(0, command.get_description().find('\n')));
  for (const std::string& line : parts.text) text.add(line);
  for (const std::string& line : parts.examples) examples.add(line);
  return {text.take(), examples.take()};
}

/// "orrery-trace-info" for "trace info".
std::string page_name(std::string_view command) {
  std::string name = fmt::format("orrery-{}", command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }

/// "TRACES...", in brackets if it is optional.
std::string usage_of(const CLI::Option& positional) {
  std::string text = italic(positional.get_name(true));
  if (positional.get_expected_max() > 1) text += " ...";
  return positional.get_required() ? text : "[" + text + "]";
}

std::string synopsis(const CLI::App& parsed, const Command* command) {
  std::string text = bold("orrery");
  if (command == nullptr) return text + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]\n";
  text += " " + bold(command->name);
  for (const CLI::Option* option : parsed.get_options(
           [](const CLI::Option* one) { return is_shown(*one) && one->get_positional(); }))
    text += " " + usage_of(*option);
  return text + " [" + italic("OPTIONS") + "]\n";
}

std::string entry(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", tag, text.empty() ? "\\&" : text);
}

std::string option_entry(const CLI::Option& option) {
  std::string tag;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames())
      tag += (tag.empty() ? "" : ", ") + bold("-" + name);
    for (const std::string& name : option.get_lnames())
      tag += (tag.empty() ? "" : ", ") + bold("--" + name);
    if (option.get_type_size() != 0 && option.get_expected_max() > 0) {
      if (!option.get_type_name().empty()) tag += " " + italic(option.get_type_name());
      if (option.get_expected_max() == CLI::detail::expected_max_vector_size) tag += " ...";
    }
  } else {
    tag = usage_of(option);
  }
  std::string about = option.get_description();
  std::replace(about.begin(), about.end(), '\n', ' ');
  about = escaped(about);
  if (!option.get_default_str().empty())
    about += fmt::format("\n.br\nDefault: {}", escaped(option.get_default_str()));
  return entry(tag, about);
}

std::string options_of(const CLI::App& command) {
  std::string text;
  const auto positionals = command.get_options(
      [](const CLI::Option* option) { return is_shown(*option) && option->get_positional(); });
  if (!positionals.empty()) text += ".SH ARGUMENTS\n";
  for (const CLI::Option* option : positionals) text += option_entry(*option);
  text += ".SH OPTIONS\n";
  for (const std::string& group : command.get_groups()) {
    const auto options = command.get_options([&](const CLI::Option* option) {
      return is_shown(*option) && option->nonpositional() && option->get_group() == group;
    });
    if (options.empty()) continue;
    if (group != "Options") text += fmt::format(".SS {}\n", escaped(group));
    for (const CLI::Option* option : options) text += option_entry(*option);
  }
  return text;
}

std::string command_list() {
  std::string text = ".SH COMMANDS\n";
  Group group = Group::hidden;
  for (const Command& command : all_commands()) {
    if (command.group == Group::hidden) continue;
    if (std::exchange(group, command.group) != command.group)
      text += fmt::format(".SS {}\n", escaped(describe(command.group).heading));
    text += entry(bold(command.name), escaped(command.summary) + ".");
  }
  return text +
         fmt::format(".PP\n{} prints the options of a command.\n", bold("orrery COMMAND --help"));
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCode& code : kExitCodes)
    text += entry(bold(std::to_string(code.code)), escaped(code.meaning));
  return text;
}

std::string environment() {
  static constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
      {"ORRERY_DATA_DIR",
       "folder of Orrery's data, instead of the one that is found automatically"},
      {"XDG_CACHE_HOME",
       "folder in which packages unpack Orrery's data, as orrery/ (default: ~/.cache)"},
      {"BROWSER", "program that --open starts"},
      {"NO_COLOR, CLICOLOR_FORCE", "no colors; colors even if stdout is not a terminal"}};
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& [name, about] : kVariables) text += entry(bold(name), escaped(about));
  return text;
}

std::string see_also(const Command* command) {
  std::string text = ".SH SEE ALSO\n";
  if (command != nullptr) return text + bold("orrery") + "(1)\n";
  const auto names = command_names();
  for (const std::string_view name : names)
    text += fmt::format("{}(1){}\n", bold(page_name(name)), name == names.back() ? "" : ",");
  return text;
}

/// The summary in NAME and in lists of pages.
std::string summary_of(const Command* command) {
  return std::string(command != nullptr ? command->summary
                                        : "simulates machine-learning jobs on clusters");
}

}  // namespace

std::string manual_name(const Command* command) {
  return command == nullptr ? "orrery.1" : page_name(command->name) + ".1";
}

std::string manual_page(const CLI::App& table, const Command* command) {
  const CLI::App& parsed =
      command == nullptr ? table : *table.get_subcommand(std::string(command->name));
  const std::string file = manual_name(command);
  const std::string name = file.substr(0, file.size() - 2);
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const Description description = description_of(parsed);
  std::string text = fmt::format(".\\\" Made by 'orrery man'.\n.TH {} 1 \"{}\" \"{}\"\n",
                                 escaped(title), kCommitDate, version_name());
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(summary_of(command)));
  text += ".SH SYNOPSIS\n" + synopsis(parsed, command);
  text += ".SH DESCRIPTION\n" + description.text;
  if (!description.examples.empty()) text += ".SH EXAMPLES\n" + description.examples;
  if (command == nullptr) text += command_list();
  text += options_of(parsed);
  text += exit_status();
  if (command == nullptr) text += environment();
  return text + see_also(command);
}

}  // namespace orrery::app

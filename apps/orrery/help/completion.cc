// SPDX-License-Identifier: Apache-2.0
//
// orrery completion: shell scripts, generated from the table that defines the command line.
#include "help/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "arguments.h"
#include "orrery/core/text/suggest.h"
#include "orrery/graph/kernel.h"
#include "orrery/platform/collective_algorithm_names.h"
#include "program_commands.h"
#include "session.h"
#include "table_command.h"

namespace orrery::app {

namespace {

struct Word {
  std::string text;
  std::string about;
  bool takes_value = false;
  std::string choices;  ///< the possible values; empty: any
};

struct Entry {
  std::string name;
  std::string about;
  std::vector<Word> options;
  std::vector<std::string_view> values;  ///< possible arguments
  bool files = true;                     ///< whether it also accepts file names
};

/// Text for single quotes in all three shells: removes quotes.
std::string plain(std::string_view line) {
  std::string text(line.substr(0, line.find('\n')));
  std::erase_if(text, [](char c) {
    return c == '\'' || c == '"' || c == '\\' || c == '[' || c == ']' || c == ':' || c == '`' ||
           c == '$';
  });
  return text;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

/// The possible values of an option, separated by spaces; empty: any.
std::string choices_of(const TableCommand& command, const std::string& option) {
  if (option == "--collective-algorithm") {  // may be a list with one item per dimension
    std::string words = "auto";
    for (const platform::AlgorithmName& one : platform::algorithm_names()) words += " " + one.name;
    return words;
  }
  if (option == "--dtype") {  // may be several joined names
    std::string words;
    for (std::size_t i = 1; i < graph::kFormats; ++i)
      words += fmt::format("{}{}", i == 1 ? "" : " ", name(static_cast<graph::Format>(i)));
    return words;
  }
  for (const FieldRecord& field : command.fields())
    for (std::string_view names = field.options; !names.empty();) {
      const std::string one = first_name(names);
      if (one == option) return fmt::format("{}", fmt::join(field.choices, " "));
      names.remove_prefix(std::min(one.size() + 1, names.size()));
    }
  return {};
}

std::vector<Entry> entries_of(const CLI::App& table) {
  std::vector<Entry> entries;
  for (const Command& command : all_commands()) {
    if (command.group == Group::hidden) continue;
    Entry entry{std::string(command.name), plain(command.summary), {}, {}, command.words.files};
    if (command.words.list != nullptr) entry.values = command.words.list();
    const auto& options = dynamic_cast<const TableCommand&>(*table.get_subcommand(entry.name));
    for (const CLI::Option* option : options.get_options()) {
      const bool value = option->get_expected_max() > 0 && option->get_type_size() > 0;
      for (const std::string& name : option->get_lnames())
        entry.options.push_back({"--" + name, plain(option->get_description()), value,
                                 choices_of(options, "--" + name)});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string bash(const std::vector<Entry>& entries) {
  std::string text =
      "# bash completion for orrery: source <(orrery completion bash)\n"
      "_orrery() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n";
  text += fmt::format(
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '{} --help --version' -- "
      "\"$word\")); return; fi\n",
      fmt::join(command_names(), " "));
  text += "  case $before in\n";
  std::set<std::string_view> done;  // in bash, choices depend only on the option
  for (const Entry& entry : entries)
    for (const Word& option : entry.options)
      if (!option.choices.empty() && done.insert(option.text).second)
        text += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            option.text, option.choices);
  text += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const Entry& entry : entries)
    text += fmt::format(
        "    {}) [[ $word == -* ]] && COMPREPLY=($(compgen -W '{}' -- \"$word\")){} ;;\n",
        entry.name, joined(entry.options),
        entry.values.empty() ? ""
                             : fmt::format(" || COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                                           fmt::join(entry.values, " ")));
  text += "  esac\n}\ncomplete -o default -F _orrery orrery\n";
  return text;
}

std::string zsh(const std::vector<Entry>& entries) {
  std::string text =
      "#compdef orrery\n# zsh completion for orrery: orrery completion zsh > a folder of $fpath, "
      "as _orrery\n"
      "_orrery() {\n  local -a commands\n  commands=(\n";
  for (const Entry& entry : entries) text += fmt::format("    '{}:{}'\n", entry.name, entry.about);
  text +=
      "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n  shift words; ((CURRENT--))\n  case $command in\n";
  for (const Entry& entry : entries) {
    text += fmt::format("    {})\n      _arguments", entry.name);
    for (const Word& option : entry.options) {
      const std::string action = !option.takes_value ? ""
                                 : option.choices.empty()
                                     ? ":file:_files"
                                     : fmt::format(":word:({})", option.choices);
      text += fmt::format(" \\\n        '{}{}[{}]{}'", option.text, option.takes_value ? "=" : "",
                          option.about, action);
    }
    const std::string values = fmt::format("{}", fmt::join(entry.values, " "));
    text += values.empty() ? " \\\n        '*:file:_files'"
            : entry.files  ? fmt::format(" \\\n        '*:word:{{compadd {}; _files}}'", values)
                           : fmt::format(" \\\n        '*:word:({})'", values);
    text += " ;;\n";
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _orrery ]]; then _orrery \"$@\"; else compdef _orrery "
         "orrery; fi\n";
}

std::string fish(const std::vector<Entry>& entries) {
  std::string text = "# fish completion for orrery: orrery completion fish | source\n";
  for (const Entry& entry : entries) {
    text += fmt::format("complete -c orrery -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        entry.name, entry.about);
  }
  for (const Entry& entry : entries) {
    const std::string here =
        fmt::format("complete -c orrery -n '__fish_seen_subcommand_from {}'", entry.name);
    for (const std::string_view value : entry.values)
      text += fmt::format("{}{} -a {}\n", here, entry.files ? "" : " -f", value);
    for (const Word& option : entry.options) {
      const std::string value = !option.takes_value ? ""
                                : option.choices.empty()
                                    ? " -r -F"
                                    : fmt::format(" -x -a '{}'", option.choices);
      text += fmt::format("{} -l {}{} -d '{}'\n", here, option.text.substr(2), value, option.about);
    }
  }
  return text;
}

struct CompletionOptions {
  std::string shell;

  static constexpr auto fields = std::tuple{QuestionField{
      "shell", &CompletionOptions::shell, "SHELL", "", kAnswer, "zsh", "The shell", shell_names}
                                                .required()};
};

}  // namespace

std::string completion_script(const CLI::App& table, std::string_view shell) {
  const std::vector<Entry> entries = entries_of(table);
  return shell == "bash" ? bash(entries) : shell == "zsh" ? zsh(entries) : fish(entries);
}

std::vector<std::string_view> shell_names() { return names_of(kShells); }

Action add_completion(CommandOptions& command, Context& context) {
  describe(command,
           "\n"
           "Examples:\n"
           "  source <(orrery completion bash)\n"
           "  orrery completion fish > ~/.config/fish/completions/orrery.fish\n");
  const auto options = std::make_shared<CompletionOptions>();
  add_fields(command, *options);
  return [options, &context] {
    Session session;
    return print(completion_script(*build_table(session), options->shell))
               ? kOk
               : context.fail({Errc::output_failed, "stdout", "cannot be written", ""});
  };
}

}  // namespace orrery::app

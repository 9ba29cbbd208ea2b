// SPDX-License-Identifier: Apache-2.0
//
// orrery completion: scripts for shells, from the same table that parses the command line.
#include "completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "arguments.h"
#include "orrery/analysis/explain.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/question_fields.h"
#include "schema.h"

namespace orrery::app {

namespace {

struct Word {
  std::string text;
  std::string about;
  bool takes_value = false;
};

struct Command {
  std::string name;
  std::string about;
  std::vector<Word> options;
  std::vector<std::string> values;  ///< what its argument may be; empty = files
  bool also_files = false;          ///< files as well as values
};

/// Text inside single quotes: fine for all three shells once the quotes in it are gone.
std::string plain(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::erase_if(text, [](char c) {
    return c == '\'' || c == '"' || c == '\\' || c == '[' || c == ']' || c == ':' || c == '`' ||
           c == '$';
  });
  return text;
}

std::vector<Command> commands_of(CLI::App& table) {
  std::vector<Command> commands;
  const auto shown = table.get_subcommands([](CLI::App* sub) { return !sub->get_group().empty(); });
  for (const CLI::App* sub : shown) {
    Command command{sub->get_name(), plain(sub->get_description()), {}, {}, false};
    if (command.name == "schema")
      for (const SchemaFile& file : schema_files()) command.values.emplace_back(file.format);
    if (command.name == "man")
      for (const CLI::App* other : shown) command.values.push_back(other->get_name());
    if (command.name == "calibrate") {
      command.values = {"network", "compute", "overheads"};
      command.also_files = true;
    }
    if (command.name == "bench") {
      command.values = {"run", "generate"};
      command.also_files = true;
    }
    if (command.name == "kernels") {
      command.values.emplace_back("check");
      for (std::size_t i = 1; i < graph::kOperations; ++i)
        command.values.emplace_back(name(static_cast<graph::Operation>(i)));
      command.also_files = true;
    }
    if (command.name == "embeddings") {
      command.values = {"histogram", "synthesize", "time", "fit"};
      command.also_files = true;
    }
    if (command.name == "explain") {
      for (const std::string_view metric : analysis::metric_names())
        command.values.emplace_back(metric);
      command.also_files = true;
    }
    if (command.name == "completion")
      for (const Shell& shell : kShells) command.values.emplace_back(shell.name);
    for (const CLI::Option* option : sub->get_options()) {
      const bool value = option->get_expected_max() > 0 && option->get_type_size() > 0;
      for (const std::string& name : option->get_lnames()) {
        command.options.push_back({"--" + name, plain(option->get_description()), value});
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

const std::string& format_words() {
  static const std::string words = [] {
    std::string made;
    for (std::size_t i = 1; i < graph::kFormats; ++i)
      made += fmt::format("{}{}", i == 1 ? "" : " ", name(static_cast<graph::Format>(i)));
    return made;
  }();
  return words;
}

/// Options with a fixed set of words, and these.
std::vector<std::pair<std::string, std::string>> all_choices() {
  std::vector<std::pair<std::string, std::string>> choices;
  const study::Question question;
  study::each_field(question, [&](const std::string&, const auto& field, const auto&) {
    if (field.choices == nullptr || field.options.empty()) return;
    const std::string words = fmt::format("{}", fmt::join(field.choices(), " "));
    std::string_view names = field.options;
    while (!names.empty()) {
      const std::string_view one = names.substr(0, names.find(','));
      names.remove_prefix(std::min(one.size() + 1, names.size()));
      choices.emplace_back(one, words);
    }
  });
  choices.emplace_back("--dtype", format_words());
  choices.emplace_back("--pass", "forward input_grad weight_grad backward");
  choices.emplace_back("--color", "auto always never");
  choices.emplace_back("--progress", "auto never json");
  return choices;
}

const std::vector<std::pair<std::string, std::string>>& known_choices() {
  static const auto choices = all_choices();
  return choices;
}

std::string_view choices_of(std::string_view option) {
  for (const auto& [name, words] : known_choices()) {
    if (name == option) return words;
  }
  return {};
}

std::string names_of(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) text += (text.empty() ? "" : " ") + command.name;
  return text;
}

std::string bash(const std::vector<Command>& commands) {
  std::string text =
      "# bash completion for orrery: source <(orrery completion bash)\n"
      "_orrery() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n";
  text += fmt::format(
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '{} --help --version' -- "
      "\"$word\")); return; fi\n",
      names_of(commands));
  text += "  case $before in\n";
  for (const auto& [option, words] : known_choices()) {
    text += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", option,
                        words);
  }
  text += "  esac\n  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands) {
    std::string values;
    for (const std::string& value : command.values) values += " " + value;
    text += fmt::format(
        "    {}) [[ $word == -* ]] && COMPREPLY=($(compgen -W '{}' -- \"$word\")){} ;;\n",
        command.name, joined(command.options),
        values.empty()
            ? ""
            : fmt::format(" || COMPREPLY=($(compgen -W '{}' -- \"$word\"))", values.substr(1)));
  }
  text += "  esac\n}\ncomplete -o default -F _orrery orrery\n";
  return text;
}

std::string zsh(const std::vector<Command>& commands) {
  std::string text =
      "#compdef orrery\n# zsh completion for orrery: orrery completion zsh > a folder of $fpath, "
      "as _orrery\n"
      "_orrery() {\n  local -a commands\n  commands=(\n";
  for (const Command& command : commands)
    text += fmt::format("    '{}:{}'\n", command.name, command.about);
  text +=
      "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n  shift words; ((CURRENT--))\n  case $command in\n";
  for (const Command& command : commands) {
    text += fmt::format("    {})\n      _arguments", command.name);
    for (const Word& option : command.options) {
      const std::string_view choices = choices_of(option.text);
      const std::string action = !option.takes_value ? ""
                                 : choices.empty()   ? ":file:_files"
                                                     : fmt::format(":word:({})", choices);
      text += fmt::format(" \\\n        '{}{}[{}]{}'", option.text, option.takes_value ? "=" : "",
                          option.about, action);
    }
    std::string values;
    for (const std::string& value : command.values) values += " " + value;
    text += values.empty() ? " \\\n        '*:file:_files'"
            : command.also_files
                ? fmt::format(" \\\n        '*:word:{{compadd{}; _files}}'", values)
                : fmt::format(" \\\n        '*:word:({})'", values.substr(1));
    text += " ;;\n";
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _orrery ]]; then _orrery \"$@\"; else compdef _orrery "
         "orrery; fi\n";
}

std::string fish(const std::vector<Command>& commands) {
  std::string text = "# fish completion for orrery: orrery completion fish | source\n";
  for (const Command& command : commands) {
    text += fmt::format("complete -c orrery -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, command.about);
  }
  for (const Command& command : commands) {
    const std::string here =
        fmt::format("complete -c orrery -n '__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& value : command.values)
      text += fmt::format("{}{} -a {}\n", here, command.also_files ? "" : " -f", value);
    for (const Word& option : command.options) {
      const std::string_view choices = choices_of(option.text);
      const std::string value = !option.takes_value ? ""
                                : choices.empty()   ? " -r -F"
                                                    : fmt::format(" -x -a '{}'", choices);
      text += fmt::format("{} -l {}{} -d '{}'\n", here, option.text.substr(2), value, option.about);
    }
  }
  return text;
}

}  // namespace

std::string completion_script(CLI::App& table, std::string_view shell) {
  const std::vector<Command> commands = commands_of(table);
  return shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : fish(commands);
}

void add_completion(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("completion", "Print a completion script for a shell");
  command->description(
      "Print a completion script for a shell.\n\n"
      "Examples:\n"
      "  source <(orrery completion bash)\n"
      "  orrery completion fish > ~/.config/fish/completions/orrery.fish\n");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("");
  command->callback([shell, &session, &table] {
    session.command = "completion";
    session.action = [shell, &session, &table] {
      if (auto fine = one_of("SHELL", *shell, {"bash", "zsh", "fish"}); !fine)
        return session.fail(fine.error());
      return print(completion_script(table, *shell))
                 ? kOk
                 : session.fail({Errc::output_failed, "stdout", "cannot be written", ""});
    };
  });
}

}  // namespace orrery::app

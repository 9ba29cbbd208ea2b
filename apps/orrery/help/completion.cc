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
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/collective_algorithm_names.h"
#include "orrery/workload/spec/model_catalog.h"
#include "program_commands.h"
#include "session.h"
#include "table_command.h"

namespace orrery::app {

namespace {

/// What a shell offers for a value or an argument.
struct Values {
  std::string words;       ///< separated by spaces
  std::string extensions;  ///< of files, separated by spaces; empty: any file
  bool files = true;
};

struct Word {
  std::string text;
  std::string about;
  bool takes_value = false;
  Values values;
};

struct Entry {
  std::string name;
  std::string about;
  std::vector<Word> options;
  Values arguments;

  /// "trace" of "trace info"; empty for commands of one word.
  [[nodiscard]] std::string group() const {
    const std::size_t space = name.find(' ');
    return space == std::string::npos ? "" : name.substr(0, space);
  }
  [[nodiscard]] std::string last() const { return name.substr(name.rfind(' ') + 1); }
};

/// The files that options and arguments name, by extension.
struct FileType {
  std::string_view name, extensions;
};
constexpr FileType kFileTypes[] = {
    {"--cluster", "yaml yml json"},
    {"--spec", "yaml yml json sh"},
    {"SPEC", "yaml yml json sh"},
    {"RUN", "orrery"},
    {"--run", "orrery"},
    {"--kernel-table", "csv"},
    {"--traces", "gz json et sqlite tar zst"},
    {"TRACES", "gz json et sqlite tar zst"},
    {"--variability", "yaml yml"},
    {"JOBS", "yaml yml json"},
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

template <class Entries>
std::string names_in(const Entries& entries) {
  std::string words;
  for (const auto& each : entries) words += (words.empty() ? "" : " ") + std::string(each.name);
  return words;
}

/// The names of clusters that need no file.
std::string cluster_names() {
  std::string words;
  for (const platform::DeviceEntry& device : platform::devices())
    if (device.build.island > 0)
      words += fmt::format("{}{}:{}", words.empty() ? "" : " ", device.name, device.build.island);
  return words;
}

std::string words_of(const TableCommand& command, const std::string& option) {
  if (option == "--collective-algorithm")  // may be a list with one item per dimension
    return "auto " + names_in(platform::algorithm_names());
  if (option == "--change") return fmt::format("{}", fmt::join(whatif_words(), " "));
  if (option == "--model") return names_in(workload::models());
  if (option == "--cluster" || option == "--fabric") return cluster_names();
  if (option == "--device") return names_in(platform::devices());
  if (option == "--sharding") return "none zero1 zero2 zero3 fsdp hsdp";
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

Values values_of(const TableCommand& command, const std::string& option) {
  Values values{words_of(command, option), {}};
  for (const FileType& type : kFileTypes)
    if (type.name == option) values.extensions = type.extensions;
  values.files = values.words.empty() || !values.extensions.empty();
  return values;
}

Values arguments_of(const Command& command, const TableCommand& options) {
  Values values{{}, {}, command.words.files};
  if (command.words.list != nullptr)
    values.words = fmt::format("{}", fmt::join(command.words.list(), " "));
  for (const CLI::Option* option : options.get_options())
    for (const FileType& type : kFileTypes)
      if (option->get_positional() && type.name == option->get_name(true))
        values.extensions = type.extensions;
  return values;
}

std::vector<Entry> entries_of(const CLI::App& table) {
  std::vector<Entry> entries;
  for (const Command& command : all_commands()) {
    if (command.group == Group::hidden) continue;
    Entry entry{std::string(command.name), plain(command.summary), {}, {}};
    const auto& options = dynamic_cast<const TableCommand&>(*table.get_subcommand(entry.name));
    entry.arguments = arguments_of(command, options);
    for (const CLI::Option* option : options.get_options()) {
      const bool value = option->get_expected_max() > 0 && option->get_type_size() > 0;
      for (const std::string& name : option->get_lnames())
        entry.options.push_back({"--" + name, plain(option->get_description()), value,
                                 values_of(options, "--" + name)});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// The first words of the program's commands: commands of one word, and groups.
std::vector<std::pair<std::string, std::string>> first_words(const std::vector<Entry>& entries) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const Entry& entry : entries) {
    const std::string group = entry.group();
    if (group.empty())
      words.emplace_back(entry.name, entry.about);
    else if (words.empty() || words.back().first != group)
      words.emplace_back(group, plain(describe(*find_group(group)).summary));
  }
  words.emplace_back("help", "Show the help of a command");
  return words;
}

std::string members_of(const std::vector<Entry>& entries, const std::string& group) {
  std::string words;
  for (const Entry& entry : entries)
    if (entry.group() == group) words += (words.empty() ? "" : " ") + entry.last();
  return words;
}

std::string group_pattern(const std::vector<Entry>& entries) {
  std::string pattern;
  for (const auto& [word, about] : first_words(entries))
    if (find_group(word)) pattern += (pattern.empty() ? "" : "|") + word;
  return pattern;
}

/// A command of bash that fills COMPREPLY.
std::string bash_reply(const Values& values) {
  std::string text;
  if (!values.words.empty())
    text += fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", values.words);
  if (values.files && !values.extensions.empty())
    text += fmt::format("{}_orrery_files {}", text.empty() ? "" : "; ", values.extensions);
  return text;
}

std::string bash(const std::vector<Entry>& entries) {
  std::string text =
      "# bash completion for orrery: source <(orrery completion bash)\n"
      "# Adds folders and files with these extensions.\n"
      "_orrery_files() {\n"
      "  local extension\n"
      "  for extension; do COMPREPLY+=($(compgen -f -X \"!*.$extension\" -- \"$word\")); done\n"
      "  COMPREPLY+=($(compgen -d -S / -- \"$word\"))\n"
      "}\n"
      "_orrery() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]} first=2\n"
      "  COMPREPLY=()\n"
      // In COMP_WORDS, a colon is a word of its own.
      "  if [[ $word == : ]]; then word=; fi\n";
  std::string words;
  for (const auto& [word, about] : first_words(entries)) words += word + " ";
  text += fmt::format(
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '{}--help --version' -- "
      "\"$word\")); return; fi\n"
      "  case $command in {}) command+=\" ${{COMP_WORDS[2]}}\" first=3 ;; esac\n"
      "  if ((COMP_CWORD == 2 && first == 3)); then\n    case ${{COMP_WORDS[1]}} in\n",
      words, group_pattern(entries));
  for (const auto& [word, about] : first_words(entries))
    if (find_group(word))
      text += fmt::format("      {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", word,
                          members_of(entries, word));
  text += "    esac\n    return\n  fi\n  case $before in\n";
  std::set<std::string_view> done;  // in bash, values depend only on the option
  for (const Entry& entry : entries)
    for (const Word& option : entry.options)
      if (const std::string reply = bash_reply(option.values);
          !reply.empty() && done.insert(option.text).second)
        text += fmt::format("    {}) {}; return ;;\n", option.text, reply);
  text += "  esac\n  case $command in\n";
  for (const Entry& entry : entries) {
    const std::string reply = bash_reply(entry.arguments);
    text += fmt::format(
        "    {}) if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\")){}; fi ;;\n",
        entry.group().empty() ? entry.name : fmt::format("'{}'", entry.name), joined(entry.options),
        reply.empty() ? "" : "; else " + reply);
  }
  text += "  esac\n}\ncomplete -o default -F _orrery orrery\n";
  return text;
}

std::string zsh_glob(const Values& values) {
  if (values.extensions.empty()) return "_files";
  std::string pattern = values.extensions;
  std::replace(pattern.begin(), pattern.end(), ' ', '|');
  return fmt::format("_files -g \"*.({})(-.)\"", pattern);
}

/// An action of _arguments.
std::string zsh_action(const Values& values) {
  if (values.words.empty()) return zsh_glob(values);
  if (!values.files) return fmt::format("({})", values.words);
  std::string words = values.words;  // a colon ends an action
  for (std::size_t at = 0; (at = words.find(':', at)) != std::string::npos; at += 2)
    words.insert(at, 1, '\\');
  return fmt::format("{{compadd {}; {}}}", words, zsh_glob(values));
}

std::string zsh(const std::vector<Entry>& entries) {
  std::string text =
      "#compdef orrery\n# zsh completion for orrery: orrery completion zsh > a folder of $fpath, "
      "as _orrery\n"
      "_orrery() {\n  local -a commands\n  commands=(\n";
  for (const auto& [word, about] : first_words(entries))
    text += fmt::format("    '{}:{}'\n", word, about);
  text +=
      "  )\n  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n  shift words; ((CURRENT--))\n";
  text +=
      fmt::format("  case $command in {})\n    if ((CURRENT == 2)); then\n      case $command in\n",
                  group_pattern(entries));
  for (const auto& [word, about] : first_words(entries))
    if (find_group(word))
      text += fmt::format("        {}) compadd {} ;;\n", word, members_of(entries, word));
  text +=
      "      esac\n      return\n    fi\n"
      "    command+=\" $words[2]\"; shift words; ((CURRENT--)) ;;\n  esac\n  case $command in\n";
  for (const Entry& entry : entries) {
    text += fmt::format("    '{}')\n      _arguments", entry.name);
    for (const Word& option : entry.options)
      text += fmt::format(" \\\n        '{}{}[{}]{}'", option.text, option.takes_value ? "=" : "",
                          option.about,
                          option.takes_value ? ":value:" + zsh_action(option.values) : "");
    text += fmt::format(" \\\n        '*:argument:{}' ;;\n", zsh_action(entry.arguments));
  }
  return text +
         "  esac\n}\nif [[ $funcstack[1] == _orrery ]]; then _orrery \"$@\"; else compdef _orrery "
         "orrery; fi\n";
}

std::string fish_values(const Values& values) {
  std::string text;
  if (!values.files) text += " -f";
  std::string words = values.words;
  for (std::size_t end = 0; !values.extensions.empty() && end != std::string::npos;) {
    const std::size_t next = values.extensions.find(' ', end);
    words += fmt::format("{}(__fish_complete_suffix .{})", words.empty() ? "" : " ",
                         values.extensions.substr(end, next - end));
    end = next == std::string::npos ? next : next + 1;
  }
  return words.empty() ? text : fmt::format("{} -a '{}'", text, words);
}

std::string fish(const std::vector<Entry>& entries) {
  std::string text = "# fish completion for orrery: orrery completion fish | source\n";
  for (const auto& [word, about] : first_words(entries))
    text +=
        fmt::format("complete -c orrery -n __fish_use_subcommand -f -a {} -d '{}'\n", word, about);
  for (const Entry& entry : entries)
    if (!entry.group().empty())
      text += fmt::format(
          "complete -c orrery -n '__fish_seen_subcommand_from {0}; and not "
          "__fish_seen_subcommand_from {1}' -f -a {2} -d '{3}'\n",
          entry.group(), members_of(entries, entry.group()), entry.last(), entry.about);
  for (const Entry& entry : entries) {
    const std::string seen = entry.group().empty() ? "__fish_seen_subcommand_from " + entry.name
                                                   : fmt::format(
                                                         "__fish_seen_subcommand_from {}; and "
                                                         "__fish_seen_subcommand_from {}",
                                                         entry.group(), entry.last());
    const std::string here = fmt::format("complete -c orrery -n '{}'", seen);
    if (const std::string values = fish_values(entry.arguments); !values.empty())
      text += fmt::format("{}{}\n", here, values);
    for (const Word& option : entry.options) {
      const std::string values = fish_values(option.values);
      text += fmt::format(
          "{} -l {}{}{} -d '{}'\n", here, option.text.substr(2), option.takes_value ? " -r" : "",
          option.takes_value ? (values.empty() ? " -F" : values) : "", option.about);
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

// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/command.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::commands {

std::string_view heading(Group group) {
  switch (group) {
    case Group::hidden:
      break;
    case Group::simulate:
      return "Simulate";
    case Group::workloads:
      return "Workloads";
    case Group::results:
      return "Results";
    case Group::what_if:
      return "What-if";
    case Group::search:
      return "Search";
    case Group::traces:
      return "Traces";
    case Group::kernels:
      return "Kernels and collectives";
    case Group::clusters:
      return "Clusters";
    case Group::accuracy:
      return "Accuracy";
    case Group::help:
      return "Help";
  }
  return "";
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(all_commands().begin(), all_commands().end(),
                                  [&](const Command& command) { return command.name == name; });
  return found == all_commands().end() ? nullptr : &*found;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands())
    if (command.group != Group::hidden) names.emplace_back(command.name);
  return names;
}

std::optional<Error> missing_part_error(std::string_view words) {
  for (const MissingPart& part : missing_parts())
    if (part.words == words)
      return Error{
          Errc::usage, std::string(words),
          fmt::format("is part of the add-on {}, which this build lacks", part.addon),
          fmt::format("build Orrery with -DORRERY_ADDONS=all, or with {} in the list", part.addon)};
  return std::nullopt;
}

std::vector<std::string_view> with_added_modes(std::string_view name,
                                               std::vector<std::string_view> words) {
  for (const AddedMode& mode : added_modes())
    if (mode.command() == name && std::find(words.begin(), words.end(), mode.word()) == words.end())
      words.push_back(mode.word());
  return words;
}

std::string added_usage(std::string_view name) {
  std::string text;
  for (const AddedMode& mode : added_modes())
    if (mode.command() == name) text += mode.usage;
  return text;
}

std::string output_description(const Command& command) {
  std::string text(command.output.file);
  for (const AddedMode& mode : added_modes())
    if (mode.command() == command.name && !mode.output.empty())
      text += fmt::format("; {}", mode.output);
  return text;
}

void describe(CommandOptions& command, std::string_view details) {
  command.description += fmt::format(".\n{}", details);
}

BoundCommand::BoundCommand(const Command& command, Context& context)
    : options(command.name, command.summary), action(command.add(options, context)) {}

}  // namespace orrery::commands

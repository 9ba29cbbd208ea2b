// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "orrery/core/text/text.h"

namespace orrery::commands {

namespace {

// In the order of Group.
constexpr GroupInfo kGroups[] = {
    {"Everyday", "", ""},
    {"Reports", "", ""},
    {"Traces", "trace", "Show, check, convert, change and replay traces"},
    {"Jobs", "job", "Write, count and combine generated jobs"},
    {"Networks", "network", "Show and compare networks"},
    {"Collectives", "collective", "Compare, check and synthesize collective algorithms"},
    {"Recommendation models", "dlrm", "Place embedding tables, and predict their lookups"},
    {"Accuracy", "", ""},
    {"Published studies", "study", "Reproduce published studies"},
    {"The tool", "", ""},
    {"", "", ""},
};
static_assert(std::size(kGroups) == static_cast<std::size_t>(Group::hidden) + 1);

}  // namespace

const GroupInfo& describe(Group group) { return kGroups[static_cast<std::size_t>(group)]; }

std::optional<Group> find_group(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kGroups); ++i)
    if (!word.empty() && kGroups[i].word == word) return static_cast<Group>(i);
  return std::nullopt;
}

const Command* find_command(std::string_view name) {
  const auto named = [&](const Command& command) { return command.name == name; };
  const auto once_named = [&](const Command& command) {
    const auto names = list_items(command.old_names);
    return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto commands = all_commands();
  auto found = std::find_if(commands.begin(), commands.end(), named);
  if (found == commands.end()) found = std::find_if(commands.begin(), commands.end(), once_named);
  return found == commands.end() ? nullptr : &*found;
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
    : options(command.name, command.summary) {
  action = [this, &context, run = command.add(options, context)] {
    if (auto fine = check_link_options(options); !fine) return context.fail(fine.error());
    return run();
  };
}

}  // namespace orrery::commands

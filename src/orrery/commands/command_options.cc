// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/core/text/suggest.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::commands {

void write_json(report::JsonWriter& json, const std::string& text, std::string_view type) {
  if (type == "boolean")
    json.value(text == "true");
  else if (type == "string")
    json.value(text);
  else if (text.find('n') == std::string::npos)
    json.digits(text);
  else
    json.null();  // inf, nan
}

bool has_effect(const FieldRecord& field) {
  return !field.options.empty() &&
         (field.stages & (config::kCluster | config::kLoad | config::kAnswer)) != 0;
}

bool is_of_terminal(std::string_view json_name) {
  return json_name == "json" || json_name == "quiet" || json_name == "color" ||
         json_name == "progress" || json_name == "open";
}

std::string json_name(std::string_view options) {
  const std::size_t dashes = options.find("--");
  std::string name =
      first_name(dashes == std::string_view::npos ? options : options.substr(dashes + 2));
  for (char& c : name)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

std::string question_json(const CommandOptions& command) {
  struct Entry {
    std::string name;
    config::FieldKind kind;
    std::vector<std::string> values;
  };
  std::vector<Entry> entries;
  for (const FieldRecord& field : command.fields) {
    auto values = field.values();
    if (!has_effect(field) || values == field.defaults()) continue;
    std::string name = json_name(field.options);
    const auto same = std::find_if(entries.begin(), entries.end(),
                                   [&](const Entry& one) { return one.name == name; });
    if (same == entries.end())
      entries.push_back({std::move(name), field.kind, std::move(values)});
    else  // TRACES and --traces
      same->values.insert(same->values.end(), values.begin(), values.end());
  }
  std::string text;
  report::JsonWriter json(text, 0);
  json.begin_object();
  for (const auto& [name, kind, values] : entries) {
    json.key(name);
    if (kind.is_list) json.begin_array();
    for (const std::string& value : values) write_json(json, value, kind.json);
    if (kind.is_list)
      json.end_array();
    else if (values.empty())
      json.null();
  }
  json.end_object();
  return text;
}

FieldRecord& CommandOptions::field(std::string_view option) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldRecord& field) {
    return first_name(field.options) == option ||
           field.options.substr(field.options.find(',') + 1) == option;
  });
  ORRERY_CHECK(found != fields.end());
  return *found;
}

bool CommandOptions::is_given(std::string_view option) const {
  return std::any_of(fields.begin(), fields.end(), [&](const FieldRecord& field) {
    return field.times_given > 0 && first_name(field.options) == option;
  });
}

void detail::complete(FieldRecord& record, std::string_view group) {
  record.group = group;
  record.help = record.about;
  // --help lists the choices of an argument only here.
  constexpr std::size_t kMostShown = 12;
  if (!record.options.empty() && record.options.front() != '-' &&
      record.choices.size() <= kMostShown)
    for (std::size_t i = 0; i < record.choices.size(); ++i)
      record.help += (i == 0 ? ": " : ", ") + std::string(record.choices[i]);
  const auto checked = [&record, set = record.set](const std::string& text) -> Result<void> {
    const std::string option = first_name(record.options);
    if (!record.choices.empty())
      if (auto known = one_of(option, text, record.choices); !known) return known;
    if (record.high > record.low) {
      const auto number = config::whole_number(text, option);
      if (!number) return tl::unexpected(number.error());
      if (*number < record.low || *number > record.high)
        return fail(Errc::usage, option, fmt::format("{} is out of range", text),
                    fmt::format("{} to {}", record.low, record.high));
    }
    return set(text);
  };
  record.set = checked;
}

void set_modes(CommandOptions& command, std::string_view option, std::string_view modes) {
  for (FieldRecord& field : command.fields)
    if (first_name(field.options) == option) field.modes = modes;
}

void set_advanced(CommandOptions& command, std::initializer_list<std::string_view> options) {
  for (const std::string_view option : options) command.field(option).is_advanced = true;
}

Result<void> check_mode(const CommandOptions& command, std::string_view mode) {
  for (const FieldRecord& field : command.fields) {
    if (field.modes.empty() || field.options.empty() || field.times_given == 0) continue;
    std::vector<std::string> words;  // "one kernel", "'kernels fit'"
    bool fits = false;
    for (std::string_view modes = field.modes; !modes.empty();) {
      std::string one(modes.substr(0, modes.find(", ")));
      modes.remove_prefix(std::min(one.size() + 2, modes.size()));
      fits = fits || one == mode;
      if (one.front() == '\'') one.insert(1, command.name + " ");
      words.push_back(std::move(one));
    }
    if (!fits)
      return fail(Errc::usage, first_name(field.options),
                  fmt::format("is only for {}", fmt::join(words, " or ")), "leave it out");
  }
  return {};
}

Result<void> check_link_options(const CommandOptions& command) {
  const auto given = [&](std::string_view option) { return command.is_given(option); };
  constexpr std::string_view kClusters[] = {"--cluster", "--gpus", "--astra-network"};
  if (command.files_hold_cluster || std::ranges::any_of(kClusters, given)) return {};
  for (const char* option : {"--network-bandwidth", "--network-latency", "--network-link"})
    if (given(option))
      return fail(Errc::usage, option, "changes links of a cluster, but no cluster is given",
                  "give one, such as --cluster h100-sxm:8, or leave the option out");
  return {};
}

}  // namespace orrery::commands

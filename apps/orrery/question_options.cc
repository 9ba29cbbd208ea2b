// SPDX-License-Identifier: Apache-2.0
#include "question_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace orrery::app {

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

std::string json_name(std::string_view options) {
  const std::size_t dashes = options.find("--");
  std::string name =
      first_name(dashes == std::string_view::npos ? options : options.substr(dashes + 2));
  for (char& c : name)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

std::string question_json(const TableCommand& command) {
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

void set_modes(CLI::App& command, std::string_view option, std::string_view modes) {
  for (FieldRecord& field : table_command(command).fields)
    if (first_name(field.options) == option) field.modes = modes;
}

Result<void> check_mode(CLI::App& command, std::string_view mode) {
  for (const FieldRecord& field : table_command(command).fields) {
    if (field.modes.empty() || field.options.empty()) continue;
    std::vector<std::string> words;  // "one kernel", "'kernels fit'"
    bool fits = false;
    for (std::string_view modes = field.modes; !modes.empty();) {
      std::string one(modes.substr(0, modes.find(", ")));
      modes.remove_prefix(std::min(one.size() + 2, modes.size()));
      fits = fits || one == mode;
      if (one.front() == '\'') one.insert(1, command.get_name() + " ");
      words.push_back(std::move(one));
    }
    const std::string option = first_name(field.options);
    if (fits || command.get_option(option)->count() == 0) continue;
    return fail(Errc::usage, option, fmt::format("is only for {}", fmt::join(words, " or ")),
                "leave it out");
  }
  return {};
}

}  // namespace orrery::app

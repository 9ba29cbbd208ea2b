// SPDX-License-Identifier: Apache-2.0
#include "help/question_schema.h"

#include <fmt/format.h>

#include <set>

#include "command.h"
#include "orrery/report/json/json_writer.h"
#include "question_options.h"

namespace orrery::app {

namespace {

using report::JsonWriter;

void write_type(JsonWriter& json, const FieldRecord& field) {
  if (field.kind.is_list) json.field("type", "array").key("items").begin_object();
  json.field("type", field.kind.json);
  if (!field.choices.empty()) {
    json.key("enum").begin_array();
    for (const std::string_view choice : field.choices) json.value(choice);
    json.end_array();
  }
  if (field.kind.is_list) json.end_object();
}

void write_property(JsonWriter& json, const FieldRecord& field) {
  json.key(json_name(field.options)).begin_object();
  write_type(json, field);
  json.field("description", field.about);
  if (!field.modes.empty()) json.field("$comment", fmt::format("only of {}", field.modes));
  const auto values = field.values();
  if (values.size() == 1 && !field.kind.is_list && !values.front().empty()) {
    json.key("default");
    write_json(json, values.front(), field.kind.json);
  }
  json.end_object();
}

/// The members of a command's schema; of a part of a schema, too.
void write_members(JsonWriter& json, const CLI::App& table, std::string_view name) {
  json.field("type", "object").field("additionalProperties", false);
  json.key("properties").begin_object();
  const auto& command = dynamic_cast<const TableCommand&>(*table.get_subcommand(std::string(name)));
  std::set<std::string> options, required;  // TRACES is what --traces is
  for (const FieldRecord& field : command.fields)
    if (field.options.starts_with('-')) options.insert(json_name(field.options));
  for (const FieldRecord& field : command.fields) {
    const bool is_option = field.options.starts_with('-');
    if (has_effect(field) && (is_option || !options.contains(json_name(field.options))))
      write_property(json, field);
    if (has_effect(field) && field.is_required) required.insert(json_name(field.options));
  }
  json.end_object();
  if (required.empty()) return;
  json.key("required").begin_array();
  for (const std::string& one : required) json.value(one);
  json.end_array();
}

void begin_schema(JsonWriter& json, std::string_view title) {
  json.begin_object().field("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.field("title", title);
}

}  // namespace

std::string question_schema(const CLI::App& table, std::string_view command) {
  std::string text;
  JsonWriter json(text, 4);
  if (!command.empty()) {
    begin_schema(json,
                 fmt::format("The question of orrery {}: its options by their names", command));
    write_members(json, table, command);
    json.end_object();
    return text;
  }
  begin_schema(json, "The question of an orrery command: its options by their names");
  json.key("anyOf").begin_array();
  for (const std::string_view name : command_names())
    json.begin_object().field("$ref", fmt::format("#/$defs/{}", name)).end_object();
  json.end_array().key("$defs").begin_object();
  for (const std::string_view name : command_names()) {
    json.key(name).begin_object();
    write_members(json, table, name);
    json.end_object();
  }
  json.end_object().end_object();
  return text;
}

}  // namespace orrery::app

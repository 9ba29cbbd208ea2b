// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/schema/question_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::commands {

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
void write_members(JsonWriter& json, Context& context, std::string_view name) {
  json.field("type", "object").field("additionalProperties", false);
  json.key("properties").begin_object();
  const BoundCommand bound(*find_command(name), context);
  const CommandOptions& command = bound.options;
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

/// "trace info" as "trace_info": a reference is a URI, which has no spaces.
std::string definition_name(std::string_view command) {
  std::string name(command);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

void begin_schema(JsonWriter& json, std::string_view title) {
  json.begin_object().field("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.field("title", title);
}

}  // namespace

std::string question_schema(Context& context, std::string_view command) {
  std::string text;
  JsonWriter json(text, 4);
  if (!command.empty()) {
    begin_schema(json, fmt::format("Question of orrery {}: its options by name", command));
    write_members(json, context, command);
    json.end_object();
    return text;
  }
  begin_schema(json, "Question of an orrery command: its options by name");
  json.key("anyOf").begin_array();
  for (const std::string_view name : command_names())
    json.begin_object().field("$ref", "#/$defs/" + definition_name(name)).end_object();
  json.end_array().key("$defs").begin_object();
  for (const std::string_view name : command_names()) {
    json.key(definition_name(name)).begin_object();
    write_members(json, context, name);
    json.end_object();
  }
  json.end_object().end_object();
  return text;
}

}  // namespace orrery::commands

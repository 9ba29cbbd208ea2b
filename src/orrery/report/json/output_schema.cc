// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/output_schema.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_keys.h"

namespace orrery::report {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// The names of an object; those of the object that it equals.
std::string_view members_of(const JsonKey& key) {
  std::string_view members = key.members;
  while (members.starts_with('=')) {
    const JsonKey* const other = json_key(members.substr(1));
    ORRERY_CHECK(other != nullptr);
    members = other->members;
  }
  return members;
}

/// `names` and all that they may contain.
std::set<std::string_view> reachable(std::vector<std::string_view> names) {
  std::set<std::string_view> seen;
  while (!names.empty()) {
    const std::string_view name = names.back();
    names.pop_back();
    if (name == "*" || !seen.insert(name).second) continue;
    const JsonKey* const key = json_key(name);
    ORRERY_CHECK(key != nullptr);
    if (key->type != JsonType::object) continue;
    for (const std::string_view member : words_of(members_of(*key))) names.push_back(member);
  }
  return seen;
}

void write_properties(JsonWriter& json, std::string_view members) {
  json.key("properties").begin_object();
  for (const std::string_view member : words_of(members))
    json.key(member).begin_object().field("$ref", fmt::format("#/$defs/{}", member)).end_object();
  json.end_object().field("additionalProperties", false);
}

/// Null stands for what is not known.
void write_type(JsonWriter& json, std::string_view name) {
  json.key("type").begin_array().value(name).value("null").end_array();
}

/// `"type": …` of one value.
void write_value(JsonWriter& json, const JsonKey& key) {
  const auto type = [&](std::string_view name) { write_type(json, name); };
  switch (key.type) {
    case JsonType::text:
      return type("string");
    case JsonType::flag:
      return type("boolean");
    case JsonType::count:
      return type("integer");
    case JsonType::share:
      type("number");
      json.field("minimum", 0).field("maximum", 1);
      return;
    case JsonType::object:
      if (members_of(key) == "*") return;
      type("object");
      return write_properties(json, members_of(key));
    default:
      return type("number");
  }
}

void write_definition(JsonWriter& json, const JsonKey& key) {
  const std::string_view unit = key.type == JsonType::quantity ? unit_of(key.name) : "";
  json.key(key.name).begin_object().field("description", key.about);
  if (!unit.empty()) json.field("unit", unit);
  const int lists = key.form == JsonForm::list ? 1 : key.form == JsonForm::lists ? 2 : 0;
  for (int i = 0; i < lists; ++i) {
    write_type(json, "array");
    json.key("items").begin_object();
  }
  if (key.form == JsonForm::map) {
    write_type(json, "object");
    json.key("additionalProperties").begin_object();
  }
  write_value(json, key);
  if (key.form == JsonForm::map) json.end_object();
  for (int i = 0; i < lists; ++i) json.end_object();
  json.end_object();
}

void write_envelope(JsonWriter& json, std::string_view command) {
  json.key("properties").begin_object();
  json.key("orrery").begin_object().field("const", kEnvelopeVersion).end_object();
  json.key("command").begin_object();
  if (command.empty())
    json.field("type", "string");
  else
    json.field("const", command);
  json.end_object();
  json.key("question").begin_object().field("type", "object");
  json.field("description", "the options that figures follow from: 'orrery schema question'");
  json.end_object().key("result").begin_object().field("type", "object").end_object();
  for (const char* name : {"error", "findings"})
    json.key(name).begin_object().field("$ref", fmt::format("#/$defs/{}", name)).end_object();
  json.end_object().key("required").begin_array();
  for (const char* name : {"orrery", "command", "findings"}) json.value(name);
  json.end_array().field("additionalProperties", false);
}

void write_result(JsonWriter& json, const JsonResult& result) {
  json.begin_object().key("if").begin_object().key("properties").begin_object();
  json.key("command").begin_object().field("const", result.command).end_object().end_object();
  json.end_object().key("then").begin_object().key("properties").begin_object();
  json.key("result").begin_object();
  write_properties(json, result.members);
  json.end_object().end_object().end_object().end_object();
}

}  // namespace

std::string output_schema(std::string_view command) {
  std::vector<std::string_view> names = {"error", "findings"};
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.field("title", command.empty() ? std::string("The output of orrery commands with --json")
                                      : fmt::format("The output of orrery {} --json", command));
  json.field("description",
             "Null is an unknown value. A number has its unit in its name, or is a share, "
             "a ratio or a count.");
  json.field("type", "object");
  write_envelope(json, command);
  json.key("allOf").begin_array();
  for (const JsonResult& result : command_results()) {
    if (!command.empty() && result.command != command) continue;
    write_result(json, result);
    for (const std::string_view member : words_of(result.members)) names.push_back(member);
  }
  json.end_array().key("$defs").begin_object();
  for (const std::string_view name : reachable(names)) write_definition(json, *json_key(name));
  json.end_object().end_object();
  return text + '\n';
}

}  // namespace orrery::report

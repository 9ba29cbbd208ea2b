// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/command/openapi.h"

#include <algorithm>
#include <set>

#include "addons/ui/service.h"
#include "orrery/commands/command.h"
#include "orrery/commands/schema/question_schema.h"
#include "orrery/config/json.h"

namespace orrery::commands {

namespace {

using config::Json;

/// References to "#/$defs/X" become "#/components/schemas/X".
void move_references(Json& json) {
  if (json.is_object() && json.contains("$ref")) {
    constexpr std::string_view kBefore = "#/$defs/";
    const auto text = json["$ref"].get<std::string>();
    if (text.starts_with(kBefore))
      json["$ref"] = "#/components/schemas/" + text.substr(kBefore.size());
  }
  if (json.is_structured())
    for (auto& item : json) move_references(item);
}

Json content(const char* type, const Json& schema) {
  return {{"content", {{type, {{"schema", schema}}}}}};
}

Json response(const char* description) { return {{"description", description}}; }

Json errors() {
  return {{"401", response("No token, or a wrong one")},
          {"413", response("A limit: exit code 5")},
          {"422", response("The question or a file is wrong: exit codes 2, 3 and 4")},
          {"499", response("Cancelled")},
          {"500", response("A defect: exit code 70")},
          {"503", response("Too many questions wait")}};
}

Json path_of(const Command& command) {
  std::string name(command.name);
  std::replace(name.begin(), name.end(), ' ', '_');
  Json post = {{"summary", command.summary}, {"operationId", name}};
  post["requestBody"] = content("application/json", {{"$ref", "#/components/schemas/" + name}});
  post["parameters"] = {{{"name", "Prefer"},
                         {"in", "header"},
                         {"schema", {{"type", "string"}, {"enum", {"respond-async"}}}},
                         {"description", "Answer with status 202 and a job at once"}}};
  Json responses = errors();
  responses["200"] = content("application/json", {{"type", "object"}});
  responses["200"]["description"] = "The document that --json prints";
  responses["202"] = content("application/json", {{"$ref", "#/components/schemas/job"}});
  responses["202"]["description"] = "The job, with 'Prefer: respond-async'";
  post["responses"] = responses;
  return {{"post", post}};
}

Json operation(const char* summary, const char* status, const Json& answer, bool has_id = false,
               const char* parameter = "id") {
  Json made = {{"summary", summary}, {"responses", {{status, answer}}}};
  if (has_id)
    made["parameters"] = {{{"name", parameter},
                           {"in", "path"},
                           {"required", true},
                           {"schema", {{"type", "string"}}}}};
  return made;
}

Json with_content(const char* description, const char* type, const Json& schema) {
  Json made = content(type, schema);
  made["description"] = description;
  return made;
}

void add_other_paths(Json& paths) {
  const Json job = {{"$ref", "#/components/schemas/job"}};
  const Json object = {{"type", "object"}};
  paths["/v1/jobs/{id}"] = {
      {"get", operation("The state of a job", "200",
                        with_content("The job", "application/json", job), true)},
      {"delete", operation("Cancel a job", "204", response("It ends soon"), true)}};
  paths["/v1/jobs/{id}/events"] = {
      {"get",
       operation("Events 'progress' and 'done' of a job", "200",
                 with_content("Server-sent events", "text/event-stream", {{"type", "string"}}),
                 true)}};
  paths["/v1/jobs/{id}/answer"] = {
      {"get", operation("The answer of a job that is done", "200",
                        with_content("The document", "application/json", object), true)}};
  paths["/v1/files"] = {
      {"get", operation("The files of the folder", "200",
                        with_content("Names and sizes", "application/json", object))}};
  const Json bytes = {{"type", "string"}, {"format", "binary"}};
  Json put = operation("Store a file; one with other bytes is not replaced", "201",
                       response("Stored"), true, "name");
  put["requestBody"] = content("application/octet-stream", bytes);
  paths["/v1/files/{name}"] = {
      {"get",
       operation("A file", "200", with_content("Its bytes", "application/octet-stream", bytes),
                 true, "name")},
      {"put", put}};
  paths["/v1/version"] = {{"get", operation("Version and folder", "200",
                                            with_content("Both", "application/json", object))}};
  paths["/metrics"] = {
      {"get", operation("Counts, in the text format of Prometheus", "200",
                        with_content("Text", "text/plain", {{"type", "string"}}))}};
}

}  // namespace

std::vector<std::string> asked_commands() {
  std::vector<std::string> names;
  for (const Command& command : all_commands())
    if (command.group != Group::hidden && command.output.json) names.emplace_back(command.name);
  return names;
}

std::string openapi_document(Context& context, std::string_view version) {
  Json schemas = Json::object();
  Json questions = Json::parse(question_schema(context, ""), nullptr, false);
  if (questions.is_object() && questions.contains("$defs"))
    for (auto& [name, schema] : questions["$defs"].items()) {
      move_references(schema);
      schemas[name] = schema;
    }
  schemas["job"] = Json::parse(R"({"type": "object", "properties": {
    "job": {"type": "string"}, "command": {"type": "string"},
    "state": {"enum": ["queued", "running", "done"]},
    "progress": {"type": ["object", "null"]},
    "status": {"type": ["integer", "null"], "description": "exit code of the command"}}})");
  Json document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "orrery ui"}, {"version", version}};
  document["security"] = {{{"token", Json::array()}}};
  Json paths = Json::object();
  for (const Command& command : all_commands())
    if (command.group != Group::hidden && command.output.json)
      paths[ui::path_of_command(command.name)] = path_of(command);
  add_other_paths(paths);
  document["paths"] = paths;
  document["components"] = {
      {"schemas", schemas},
      {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}};
  return document.dump(1) + "\n";
}

bool writes_files(std::string_view name, std::string_view question, Context& context) {
  const Command* const row = find_command(name);
  const Json options = Json::parse(question, nullptr, false);
  if (row == nullptr || !options.is_object()) return true;
  std::set<std::string> kept_options;  // by content: they change answers, and write nothing
  const BoundCommand bound(*row, context);
  for (const FieldRecord& field : bound.options.fields)
    if (has_effect(field)) kept_options.insert(json_name(field.options));
  return std::any_of(options.items().begin(), options.items().end(),
                     [&](const auto& item) { return !kept_options.contains(item.key()); });
}

}  // namespace orrery::commands

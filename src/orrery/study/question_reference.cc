// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "orrery/study/question_fields.h"
#include "orrery/study/question_json.h"

namespace orrery::study {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
struct Kind {
  static Json schema() { return {{"type", std::is_integral_v<T> ? "integer" : "number"}}; }
  static std::string words() { return std::is_integral_v<T> ? "whole number" : "number"; }
};
template <>
struct Kind<bool> {
  static Json schema() { return {{"type", "boolean"}}; }
  static std::string words() { return "true or false"; }
};
template <>
struct Kind<std::string> {
  static Json schema() { return {{"type", "string"}}; }
  static std::string words() { return "text"; }
};
Json object(std::initializer_list<std::pair<const char*, Json>> properties) {
  Json made = {{"type", "object"}, {"additionalProperties", false}};
  for (const auto& [name, schema] : properties) made["properties"][name] = schema;
  return made;
}
template <>
struct Kind<JobDescription::Text> {
  static Json schema() {
    return object({{"name", Kind<std::string>::schema()}, {"text", Kind<std::string>::schema()}});
  }
  static std::string words() { return "name and text"; }
};
template <>
struct Kind<InStepFactor> {
  static Json schema() {
    return object({{"bits", Kind<std::int64_t>::schema()},
                   {"factor", Kind<double>::schema()},
                   {"low_error", Kind<double>::schema()},
                   {"high_error", Kind<double>::schema()}});
  }
  static std::string words() { return "bits, factor, and the least and most of its error"; }
};
template <class T>
struct Kind<std::vector<T>> {
  static Json schema() { return {{"type", "array"}, {"items", Kind<T>::schema()}}; }
  static std::string words() { return "list: " + Kind<T>::words(); }
};
template <class T>
struct Kind<std::optional<T>> : Kind<T> {};

template <class Owner>
Json schema_of() {
  Json made = {{"type", "object"}, {"additionalProperties", false}};
  const auto one = [&](const auto& row) {
    if constexpr (requires { row.stages; }) {
      Json field = Kind<std::decay_t<decltype(default_of(row))>>::schema();
      if (row.choices != nullptr) field["enum"] = row.choices();
      field["description"] = row.about;
      made["properties"][std::string(row.name)] = field;
    } else if constexpr (requires { row.member; }) {
      Json part = schema_of<std::decay_t<decltype(std::declval<Owner>().*row.member)>>();
      if (row.name.empty())
        made["properties"].update(part["properties"]);
      else
        made["properties"][std::string(row.name)] = std::move(part);
    }
  };
  std::apply([&](const auto&... rows) { (one(rows), ...); }, config::rows_of<Owner>());
  return made;
}

std::string stage_words(unsigned stages) {
  std::vector<std::string_view> words;
  if ((stages & kCluster) != 0) words.emplace_back("cluster");
  if ((stages & kLoad) != 0) words.emplace_back("workload");
  if ((stages & kAnswer) != 0) words.emplace_back("answer");
  if ((stages & kRunFile) != 0) words.emplace_back("run file");
  return words.empty() ? "no figure" : fmt::format("{}", fmt::join(words, ", "));
}

/// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string made;
  for (const char c : text) made += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return made;
}

}  // namespace

std::string question_schema() {
  Json schema = schema_of<Question>();
  Json made = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "A question to Orrery: a workload, a cluster, and how to simulate it"}};
  made.update(schema);
  return made.dump(2);
}

std::string question_reference() {
  std::string text =
      "# Fields of a question\n\n"
      "This page is generated from `src/orrery/study/question_fields.h`. A field has the same name "
      "in\n"
      "C++ (`orrery::study::Question`), in the JSON of `orrery run --json` and in the JSON Schema "
      "that\n"
      "`orrery schema question` prints. The JSON has, as `question`, the fields that were set and "
      "that\n"
      "figures follow from. The last column lists what a field changes. `simulate_all()` shares "
      "clusters\n"
      "and workloads between questions whose fields of that kind are equal.\n\n"
      "| field | option of `orrery run` | value | default | | changes "
      "|\n|---|---|---|---|---|---|\n";
  const Question question;
  each_field(question, [&](const std::string& name, const auto& field, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    std::string kind = Kind<Value>::words();
    if (field.choices != nullptr) kind = fmt::format("`{}`", fmt::join(field.choices(), "`, `"));
    const std::string_view option = field.options.substr(0, field.options.find(','));
    const std::string set = field_text(default_of(field));
    const bool plain = set.empty() || set == "none" || set == "false";
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", name,
                        option.empty() ? "" : fmt::format("`{}`", option), kind,
                        plain ? "" : fmt::format("`{}`", set), cell(field.about),
                        stage_words(field.stages));
  });
  return text;
}

}  // namespace orrery::study

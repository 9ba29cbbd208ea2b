// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/question_json.h"

#include "orrery/study/question_fields.h"

namespace orrery::study {

namespace {

using report::JsonWriter;

template <class T>
void write(JsonWriter& json, const std::optional<T>& value);
template <class T>
void write(JsonWriter& json, const std::vector<T>& values);

template <class T>
void write(JsonWriter& json, const T& value) {
  json.value(value);
}
void write(JsonWriter& json, const JobDescription::Text& text) {
  json.begin_object().field("name", text.name).field("text", text.text).end_object();
}
void write(JsonWriter& json, const InStepFactor& factor) {
  json.begin_object().field("bits", factor.bits).field("factor", factor.factor);
  json.field("low_error", factor.least).field("high_error", factor.most).end_object();
}
template <class T>
void write(JsonWriter& json, const std::optional<T>& value) {
  write(json, *value);  // it was set
}
template <class T>
void write(JsonWriter& json, const std::vector<T>& values) {
  json.begin_array();
  for (const T& value : values) write(json, value);
  json.end_array();
}

/// Whether a figure follows from it, and who asks typed it: all else may differ where answers do
/// not.
bool is_echoed(unsigned stages, std::string_view options) {
  return (stages & (kCluster | kLoad | kAnswer)) != 0 &&
         ((stages & kUnlisted) == 0 || !options.empty());
}

template <class Owner>
bool any_set(const Owner& owner) {
  bool any = false;
  each_field(owner, [&](const std::string&, const auto& field, const auto& value) {
    any = any || (is_echoed(field.stages, field.options) && !(value == default_of(field)));
  });
  return any;
}

template <class Owner>
void write_set(JsonWriter& json, const Owner& owner);

template <class Owner>
void write_fields(JsonWriter& json, const Owner& owner) {
  const auto one = [&](const auto& row) {
    if constexpr (requires { row.stages; }) {
      if (!is_echoed(row.stages, row.options) || owner.*row.member == default_of(row)) return;
      json.key(row.name);
      write(json, owner.*row.member);
    } else if constexpr (requires { row.member; }) {
      if (row.name.empty()) return write_fields(json, owner.*row.member);
      if (!any_set(owner.*row.member)) return;
      json.key(row.name);
      write_set(json, owner.*row.member);
    }
  };
  std::apply([&](const auto&... rows) { (one(rows), ...); }, config::rows_of<Owner>());
}

template <class Owner>
void write_set(JsonWriter& json, const Owner& owner) {
  json.begin_object();
  write_fields(json, owner);
  json.end_object();
}

}  // namespace

void write_question(JsonWriter& json, const Question& question) { write_set(json, question); }

}  // namespace orrery::study

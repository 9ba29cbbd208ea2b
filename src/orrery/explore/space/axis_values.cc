// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/axis_values.h"

#include <fmt/format.h>

#include "orrery/explore/space/limits.h"

namespace orrery::explore {

using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::Reading;

void read_value(const Json& value, const std::string& path, const Limits&, AxisValues& out,
                Reading& reading) {
  if (!value.is_array() || value.empty())
    return reading.wrong_kind(path, value, "a list of values");
  if (value.size() > limits::kValues)
    return reading.fail(
        Errc::limit_exceeded, path,
        fmt::format("has {} values; the limit is {}", value.size(), limits::kValues));
  out.list.assign(value.begin(), value.end());
}

OrderedJson schema_of(Kind<AxisValues>, const Limits&) {
  return {{"type", "array"}, {"minItems", 1}, {"maxItems", limits::kValues}};
}

std::string about_kind(Kind<AxisValues>, const Limits&) { return "a list of values of any type"; }

OrderedJson write_value(const AxisValues& values) {
  if (values.list.empty()) return nullptr;
  return OrderedJson::parse(Json(values.list).dump());
}

void read_value(const Json& value, const std::string& path, const Limits&, Term& out,
                Reading& reading) {
  const bool expression = value.is_string() && value.get<std::string>().starts_with('=');
  if (!value.is_number() && !expression)
    return reading.wrong_kind(path, value, "a number, or an expression that begins with =");
  out.value = value;
}

OrderedJson schema_of(Kind<Term>, const Limits&) { return {{"type", {"number", "string"}}}; }

std::string about_kind(Kind<Term>, const Limits&) {
  return "a number, or an expression (`=gpu.price`)";
}

OrderedJson write_value(const Term& term) {
  return term.value.is_null() ? OrderedJson(nullptr) : OrderedJson::parse(term.value.dump());
}

}  // namespace orrery::explore

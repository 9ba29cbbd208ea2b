// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/run_filter.h"

namespace orrery::case_study {

using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::Reading;

namespace {

void read_choices(const Json& value, const std::string& path, std::vector<std::string>& out,
                  Reading& reading) {
  if (value.is_string()) return out.push_back(value.get<std::string>());
  if (!value.is_array() || value.empty())
    return reading.wrong_kind(path, value, "the name of a choice, or a list of names");
  config::read_value(value, path, {}, out, reading);
}

}  // namespace

void read_value(const Json& value, const std::string& path, const Limits&, RunFilter& out,
                Reading& reading) {
  if (!value.is_object()) return reading.wrong_kind(path, value, "a mapping of axes to choices");
  out.at.clear();
  for (const auto& [axis, choices] : value.items()) {
    out.at.emplace_back(axis, std::vector<std::string>{});
    read_choices(choices, config::pointer(path, axis), out.at.back().second, reading);
  }
}

OrderedJson schema_of(Kind<RunFilter>, const Limits&) {
  return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "array"}}}}};
}

std::string about_kind(Kind<RunFilter>, const Limits&) {
  return "a mapping of axes to a choice, or a list of choices";
}

OrderedJson write_value(const RunFilter& place) {
  if (place.at.empty()) return nullptr;
  OrderedJson object = OrderedJson::object();
  for (const auto& [axis, choices] : place.at) object[axis] = choices;
  return object;
}

void read_value(const Json& value, const std::string& path, const Limits&, ReferenceRun& out,
                Reading& reading) {
  if (!value.is_object()) return reading.wrong_kind(path, value, "a mapping of axes to choices");
  out.axes.clear();
  for (const auto& [axis, choices] : value.items()) {
    out.axes.push_back({axis, {}});
    auto& known = out.axes.back().choices;
    const std::string at = config::pointer(path, axis);
    if (choices.is_string()) {
      known.emplace_back("", choices.get<std::string>());
    } else if (choices.is_object() && !choices.empty()) {
      for (const auto& [own, other] : choices.items()) {
        known.emplace_back(own, "");
        config::read_value(other, config::pointer(at, own), {}, known.back().second, reading);
      }
    } else {
      return reading.wrong_kind(at, choices, "a choice, or a mapping of choices to other choices");
    }
  }
}

OrderedJson schema_of(Kind<ReferenceRun>, const Limits&) {
  return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "object"}}}}};
}

std::string about_kind(Kind<ReferenceRun>, const Limits&) {
  return "a mapping of axes to a choice, or to a mapping of choices to other choices";
}

OrderedJson write_value(const ReferenceRun& other) {
  if (other.axes.empty()) return nullptr;
  OrderedJson object = OrderedJson::object();
  for (const ReferenceRun::Axis& axis : other.axes)
    for (const auto& [own, choice] : axis.choices)
      if (own.empty())
        object[axis.name] = choice;
      else
        object[axis.name][own] = choice;
  return object;
}

void read_value(const Json& value, const std::string& path, const Limits& limits, RunFilters& out,
                Reading& reading) {
  if (!config::is_list(value, path, limits, config::about_list(limits), reading)) return;
  out.list.clear();
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
    out.list.emplace_back();
    read_value(value[i], config::pointer(path, i), {}, out.list.back(), reading);
  }
}

OrderedJson schema_of(Kind<RunFilters>, const Limits& limits) {
  return config::schema_of_list(schema_of(Kind<RunFilter>{}, {}), limits);
}

std::string about_kind(Kind<RunFilters>, const Limits& limits) {
  return config::about_list(limits);
}

OrderedJson write_value(const RunFilters& places) {
  OrderedJson list = OrderedJson::array();
  for (const RunFilter& place : places.list) list.push_back(write_value(place));
  return list;
}

}  // namespace orrery::case_study

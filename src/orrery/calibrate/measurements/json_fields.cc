// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/json_fields.h"

#include <cmath>

#include "orrery/core/limits.h"
#include "orrery/core/text/units.h"
#include "orrery/trace/json/repair.h"
#include "orrery/trace/json/scan.h"

namespace orrery::calibrate {

std::optional<std::int64_t> integer_field(const JsonObject& object, std::string_view key) {
  std::int64_t number = -1;
  std::string_view text;
  if (object[key].get_int64().get(number) != simdjson::SUCCESS &&
      object[key].get_string().get(text) == simdjson::SUCCESS)
    number = parse_integer(text).value_or(-1);
  if (number < 0) return std::nullopt;
  return number;
}

std::optional<double> number_field(const JsonObject& object, std::string_view key) {
  double number = 0;
  if (object[key].get_double().get(number) != simdjson::SUCCESS || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::string_view text_field(const JsonObject& object, std::string_view key) {
  std::string_view text;
  if (object[key].get_string().get(text) != simdjson::SUCCESS) return {};
  return text;
}

std::optional<JsonObject> object_field(const JsonObject& object, std::string_view key) {
  JsonObject member;
  if (object[key].get_object().get(member) != simdjson::SUCCESS) return std::nullopt;
  return member;
}

std::optional<JsonObject> JsonRecordParser::parse(std::string_view text, bool& repaired) {
  repaired = false;
  if (trace::json::nests_deeper(text, limits::kJsonDepth)) return std::nullopt;
  JsonObject object;
  if (parser_.parse(text.data(), text.size()).get_object().get(object) == simdjson::SUCCESS)
    return object;
  repaired = trace::json::repair(text, repaired_text_);
  if (repaired &&
      parser_.parse(repaired_text_.data(), repaired_text_.size()).get_object().get(object) ==
          simdjson::SUCCESS)
    return object;
  return std::nullopt;
}

}  // namespace orrery::calibrate

// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::config {
namespace {

/// "from 1 to 64", "1 or more", "above 0", "above 0, at most 1"
std::string range_of(const Limits& limits) {
  const bool low = std::isfinite(limits.low), high = std::isfinite(limits.high);
  if (limits.above_zero)
    return high ? fmt::format("above 0, at most {}", limits.high) : std::string("above 0");
  if (low && high && limits.low == limits.high) return fmt::format("{}", limits.low);
  if (low && high) return fmt::format("from {} to {}", limits.low, limits.high);
  if (low) return fmt::format("{} or more", limits.low);
  if (high) return fmt::format("at most {}", limits.high);
  return {};
}

bool inside(double value, const Limits& limits) {
  return value >= limits.low && value <= limits.high && (!limits.above_zero || value > 0);
}

void check_range(double value, const std::string& shown, const std::string& path,
                 const Limits& limits, Reading& reading) {
  if (inside(value, limits)) return;
  reading.fail(Errc::config_range, path,
               fmt::format("is {}, but must be {}", shown, range_of(limits)));
}

/// Text, or the number 0 (which needs no unit); anything else is an error.
template <class Quantity>
void read_quantity(const Json& value, const std::string& path, const Limits& limits, Quantity& out,
                   Reading& reading, Result<Quantity> (*parse)(std::string_view, std::string),
                   std::string_view example) {
  const std::string where = reading.where + ":" + path;
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number != 0) {
      return reading.fail(Errc::config_unit, path, fmt::format("{} has no unit", number),
                          fmt::format("write it with its unit, for example \"{}\"", example));
    }
    out = Quantity{};
  } else if (value.is_string()) {
    const Result<Quantity> parsed = parse(value.get_ref<const std::string&>(), where);
    if (!parsed) {
      if (!reading.error) reading.error = parsed.error();
      return;
    }
    out = *parsed;
  } else {
    return reading.wrong_kind(path, value, fmt::format("a quantity such as \"{}\"", example));
  }
  check_range(static_cast<double>(out.count()),
              value.is_string() ? in_quotes(value.get<std::string>()) : "0", path, limits, reading);
}

/// A quantity is text that looks like a number and one of `units`, or a plain 0.
OrderedJson quantity_schema(std::string_view units) {
  const std::string pattern =
      fmt::format("^\\s*\\+?[0-9]*\\.?[0-9]+([eE][+-]?[0-9]+)?\\s*({})\\s*$", units);
  return {{"oneOf",
           {OrderedJson{{"type", "string"}, {"pattern", pattern}}, OrderedJson{{"const", 0}}}}};
}

void put_limits(OrderedJson& schema, const Limits& limits, bool whole) {
  const auto bound = [whole](double value) {
    return whole ? OrderedJson(static_cast<std::int64_t>(value)) : OrderedJson(value);
  };
  if (limits.above_zero) {
    schema["exclusiveMinimum"] = 0;
  } else if (std::isfinite(limits.low)) {
    schema["minimum"] = bound(limits.low);
  }
  if (std::isfinite(limits.high)) schema["maximum"] = bound(limits.high);
}

std::string number_words(std::string_view noun, const Limits& limits) {
  const std::string range = range_of(limits);
  return range.empty() ? std::string(noun) : fmt::format("{}, {}", noun, range);
}

}  // namespace

void Reading::wrong_kind(const std::string& path, const Json& value, std::string_view wanted) {
  fail(Errc::config_type, path, fmt::format("is {}, but must be {}", json_kind(value), wanted));
}

void read_value(const Json& value, const std::string& path, const Limits& limits, std::int64_t& out,
                Reading& reading) {
  if (!value.is_number()) return reading.wrong_kind(path, value, "a whole number");
  const double number = value.get<double>();
  if (number != std::trunc(number)) {
    return reading.fail(Errc::config_type, path,
                        fmt::format("is {}, but must be a whole number", number));
  }
  if (!(std::fabs(number) < 9.2e18))
    return reading.fail(Errc::config_range, path, fmt::format("{} is too large", number));
  check_range(number, fmt::format("{}", number), path, limits, reading);
  out = value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number);
}

namespace {

/// A list whose items are read one by one, without limits of their own.
template <class T>
void read_list(const Json& value, const std::string& path, const Limits& limits,
               std::vector<T>& out, Reading& reading) {
  if (!value.is_array()) return reading.wrong_kind(path, value, "a list");
  if (!inside(static_cast<double>(value.size()), limits)) {
    return reading.fail(
        Errc::config_range, path,
        fmt::format("lists {} entries, but must list {}", value.size(), range_of(limits)));
  }
  out.clear();
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
    T item{};
    read_value(value[i], pointer(path, i), Limits{}, item, reading);
    out.push_back(std::move(item));
  }
}

OrderedJson list_schema(OrderedJson item, const Limits& limits) {
  OrderedJson schema{{"type", "array"}, {"items", std::move(item)}};
  if (std::isfinite(limits.low)) schema["minItems"] = static_cast<std::int64_t>(limits.low);
  if (std::isfinite(limits.high)) schema["maxItems"] = static_cast<std::int64_t>(limits.high);
  return schema;
}

}  // namespace

void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<std::int64_t>& out, Reading& reading) {
  read_list(value, path, limits, out, reading);
}
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<std::string>& out, Reading& reading) {
  read_list(value, path, limits, out, reading);
}
OrderedJson schema_of(Kind<std::vector<std::int64_t>>, const Limits& limits) {
  return list_schema({{"type", "integer"}}, limits);
}
OrderedJson schema_of(Kind<std::vector<std::string>>, const Limits& limits) {
  return list_schema({{"type", "string"}}, limits);
}

void read_value(const Json& value, const std::string& path, const Limits& limits, double& out,
                Reading& reading) {
  if (!value.is_number()) return reading.wrong_kind(path, value, "a number");
  const double number = value.get<double>();
  if (!std::isfinite(number))
    return reading.fail(Errc::config_range, path, "is not a finite number");
  check_range(number, fmt::format("{}", number), path, limits, reading);
  out = number;
}

void read_value(const Json& value, const std::string& path, const Limits&, bool& out,
                Reading& reading) {
  if (!value.is_boolean()) return reading.wrong_kind(path, value, "true or false");
  out = value.get<bool>();
}

void read_value(const Json& value, const std::string& path, const Limits&, std::string& out,
                Reading& reading) {
  if (!value.is_string()) return reading.wrong_kind(path, value, "text");
  out = value.get<std::string>();
}

void read_value(const Json& value, const std::string& path, const Limits& limits, Time& out,
                Reading& reading) {
  read_quantity(value, path, limits, out, reading, parse_time, "1.5 us");
}
void read_value(const Json& value, const std::string& path, const Limits& limits, Bytes& out,
                Reading& reading) {
  read_quantity(value, path, limits, out, reading, parse_bytes, "80 GB");
}
void read_value(const Json& value, const std::string& path, const Limits& limits, Bandwidth& out,
                Reading& reading) {
  read_quantity(value, path, limits, out, reading, parse_bandwidth, "50 GB/s");
}
void read_value(const Json& value, const std::string& path, const Limits& limits, FlopRate& out,
                Reading& reading) {
  read_quantity(value, path, limits, out, reading, parse_flops, "989 TFLOP/s");
}

OrderedJson schema_of(Kind<std::int64_t>, const Limits& limits) {
  OrderedJson schema{{"type", "integer"}};
  put_limits(schema, limits, true);
  return schema;
}
OrderedJson schema_of(Kind<double>, const Limits& limits) {
  OrderedJson schema{{"type", "number"}};
  put_limits(schema, limits, false);
  return schema;
}
OrderedJson schema_of(Kind<bool>, const Limits&) { return {{"type", "boolean"}}; }
OrderedJson schema_of(Kind<std::string>, const Limits&) { return {{"type", "string"}}; }
OrderedJson schema_of(Kind<Time>, const Limits&) {
  return quantity_schema("ps|ns|us|\xC2\xB5s|\xCE\xBCs|ms|s|min|h");
}
OrderedJson schema_of(Kind<Bytes>, const Limits&) {
  return quantity_schema("B|[kKMGTP]B|[kKMGTP]iB");
}
OrderedJson schema_of(Kind<Bandwidth>, const Limits&) {
  return quantity_schema("(B|[kKMGTP]B|[kKMGTP]iB|b|bit|[kKMGT]b|[kMGT]bit|[KMGT]ib)(/s|ps)");
}
OrderedJson schema_of(Kind<FlopRate>, const Limits&) {
  return quantity_schema("[kMGTPE]?FLOP(/s|S)");
}

std::string about_kind(Kind<std::int64_t>, const Limits& limits) {
  return number_words("whole number", limits);
}
std::string about_kind(Kind<double>, const Limits& limits) {
  return number_words("number", limits);
}

OrderedJson write_value(Time value) { return exact_time(value); }
OrderedJson write_value(Bytes value) { return exact_bytes(value); }
OrderedJson write_value(Bandwidth value) { return exact_bandwidth(value); }
OrderedJson write_value(FlopRate value) { return exact_flops(value); }

std::optional<std::size_t> read_enum_name(const Json& value, const std::string& path,
                                          const std::vector<std::string_view>& words,
                                          Reading& reading) {
  if (!value.is_string()) {
    reading.wrong_kind(path, value, "one of " + join(words));
    return std::nullopt;
  }
  const std::string& text = value.get_ref<const std::string&>();
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  reading.fail(Errc::config_range, path, in_quotes(text) + " is not one of " + join(words),
               did_you_mean(text, words));
  return std::nullopt;
}

OrderedJson schema_of_enum(const std::vector<std::string_view>& words) { return {{"enum", words}}; }

OrderedJson write_enum_name(std::string_view word) { return word; }

bool is_list(const Json& value, const std::string& path, const Limits& limits,
             const std::string& about, Reading& reading) {
  if (!value.is_array()) {
    reading.wrong_kind(path, value, "a list");
    return false;
  }
  const auto size = static_cast<double>(value.size());
  if (size >= limits.low && size <= limits.high) return true;
  reading.fail(Errc::config_range, path,
               "lists " + std::to_string(value.size()) + " entries: " + about);
  return false;
}

OrderedJson schema_of_list(OrderedJson items, const Limits& limits) {
  OrderedJson schema = {{"type", "array"}};
  if (std::isfinite(limits.low)) schema["minItems"] = static_cast<std::int64_t>(limits.low);
  if (std::isfinite(limits.high)) schema["maxItems"] = static_cast<std::int64_t>(limits.high);
  schema["items"] = std::move(items);
  return schema;
}

std::string about_list(const Limits& limits) {
  if (std::isfinite(limits.low) && std::isfinite(limits.high))
    return fmt::format("a list of {} to {} mappings (below)", limits.low, limits.high);
  const std::string range = range_of(limits);
  return "a list of " + (range.empty() ? range : range + " ") + "mappings (below)";
}

void read_struct(const Json& value, const std::string& path, const Table& table, void* out,
                 Reading& reading) {
  if (!table.shorthand.empty() && value.is_string()) {
    return read_struct(Json{{std::string(table.shorthand), value}}, path, table, out, reading);
  }
  if (!value.is_object()) return reading.wrong_kind(path, value, "a mapping");
  std::vector<std::string_view> names;
  for (const Parameter& each : table.parameters) names.push_back(each.name);
  for (const auto& [key, unused] : value.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string near = did_you_mean(key, names);
    return reading.fail(Errc::config_unknown_key, pointer(path, key),
                        "is not a key of this mapping",
                        near.empty() ? "valid keys are " + join(names) : near);
  }
  for (const Parameter& each : table.parameters) {
    if (reading.error) return;
    const auto found = value.find(std::string(each.name));
    if (found != value.end() && !found->is_null()) {
      each.operations->read(*found, pointer(path, each.name), each.limits, each.in(out), reading);
    } else if (each.is_required) {
      reading.fail(Errc::config_missing_key, pointer(path, each.name),
                   "is missing: " + std::string(each.about));
    }
  }
}

namespace {

/// As files contain it; null: none.
OrderedJson default_of(const Parameter& parameter, const Table& table) {
  if (parameter.is_unset_by_default) return nullptr;
  return parameter.operations->write(parameter.in(table.defaults));
}

}  // namespace

OrderedJson schema_of_struct(const Table& table) {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  for (const Parameter& each : table.parameters) {
    OrderedJson property = each.operations->schema(each.limits);
    property["description"] = each.about;
    if (each.is_required) {
      required.push_back(each.name);
    } else if (each.default_note.empty()) {
      const OrderedJson value = default_of(each, table);
      if (value.is_primitive() && !value.is_null()) property["default"] = value;
    }
    properties[std::string(each.name)] = std::move(property);
  }
  OrderedJson schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  if (!table.shorthand.empty()) return {{"oneOf", {OrderedJson{{"type", "string"}}, schema}}};
  return schema;
}

OrderedJson write_struct(const Table& table, const void* value) {
  OrderedJson object = OrderedJson::object();
  for (const Parameter& each : table.parameters) {
    OrderedJson item = each.operations->write(each.in(value));
    const bool is_unset =
        each.is_unset_by_default && item == each.operations->write(each.in(table.defaults));
    if (!item.is_null() && !is_unset) object[std::string(each.name)] = std::move(item);
  }
  return object;
}

std::string reference_of_struct(const Table& table) {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Parameter& each : table.parameters) {
    std::string by_default(each.default_note);
    if (each.is_required) {
      by_default = "**required**";
    } else if (by_default.empty()) {
      const OrderedJson value = default_of(each, table);
      const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
      by_default =
          value.is_null() || value.is_structured() || word.empty() ? "none" : "`" + word + "`";
    }
    text += "| `" + std::string(each.name) + "` | " + each.operations->about(each.limits) + " | " +
            by_default + " | " + std::string(each.about) + " |\n";
  }
  return text;
}

}  // namespace orrery::config

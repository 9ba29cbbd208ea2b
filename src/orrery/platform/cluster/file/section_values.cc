// SPDX-License-Identifier: Apache-2.0
//
// Values with a format of their own in cluster files.
#include <fmt/format.h>

#include "orrery/config/parameters.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> all;
  for (const AlgorithmName& one : algorithm_names()) all.emplace_back(one.name);
  return all;
}

/// "ring" or "direct:4".
void read_algorithm(const Json& value, const std::string& path, AlgorithmSpec& out,
                    Reading& reading) {
  if (!value.is_string()) return reading.wrong_kind(path, value, "the name of an algorithm");
  const std::string& text = value.get_ref<const std::string&>();
  const std::size_t colon = text.find(':');
  const auto place =
      config::read_enum_name(Json(text.substr(0, colon)), path, all_names(), reading);
  if (!place) return;
  out = algorithm_names()[*place].spec;
  if (colon == std::string::npos) return;
  if (!entry(out.algorithm).window) {
    return reading.fail(Errc::config_range, path,
                        fmt::format("{}: only {} can have a window", in_quotes(text),
                                    join(window_names(), " and ")));
  }
  const auto window = whole_number(std::string_view(text).substr(colon + 1));
  if (!window || *window < 1 || *window > 2147483647) {
    return reading.fail(
        Errc::config_range, path,
        fmt::format("{}: a window must be a whole number of at least 1", in_quotes(text)),
        "write for example \"direct:4\"");
  }
  out.window = static_cast<std::int64_t>(*window);
}

}  // namespace

void read_value(const Json& value, const std::string& path, const Limits&, PlanValue& out,
                Reading& reading) {
  if (value.is_object()) {
    for (const auto& [key, unused] : value.items()) {
      if (key != "custom") {
        return reading.fail(Errc::config_unknown_key, pointer(path, key),
                            "is not a key of this mapping", "the valid key is custom");
      }
    }
    if (value.empty())
      return reading.fail(Errc::config_missing_key, pointer(path, "custom"), "is missing");
    read_value(value["custom"], pointer(path, "custom"), {}, out.custom, reading);
    if (out.custom.empty())
      reading.fail(Errc::config_range, pointer(path, "custom"), "is an empty path prefix");
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
      out.algorithms.emplace_back();
      read_algorithm(value[i], pointer(path, i), out.algorithms.back(), reading);
    }
    if (value.empty()) reading.fail(Errc::config_range, path, "lists no algorithm");
  } else {
    out.for_every_dim = true;
    out.algorithms.emplace_back();
    read_algorithm(value, path, out.algorithms.back(), reading);
  }
}

OrderedJson schema_of(Kind<PlanValue>, const Limits&) {
  const std::string windowed = fmt::format("^({}):[1-9][0-9]*$", join(window_names(), "|"));
  const OrderedJson name{{"anyOf",
                          {OrderedJson{{"enum", all_names()}},
                           OrderedJson{{"type", "string"}, {"pattern", windowed}}}}};
  const OrderedJson list{{"type", "array"}, {"minItems", 1}, {"items", name}};
  const OrderedJson custom{{"type", "object"},
                           {"additionalProperties", false},
                           {"properties", {{"custom", {{"type", "string"}, {"minLength", 1}}}}},
                           {"required", {"custom"}}};
  return {{"anyOf", {name, list, custom}}};
}

std::string about_kind(Kind<PlanValue>, const Limits&) {
  return "an algorithm for every dimension, a list with one per dimension, or `{custom: plan "
         "file or trace prefix}`";
}

OrderedJson write_value(const PlanValue& value) {
  if (!value.custom.empty()) return {{"custom", value.custom}};
  if (value.algorithms.empty()) return nullptr;
  OrderedJson list = OrderedJson::array();
  for (const AlgorithmSpec& spec : value.algorithms) list.push_back(write_algorithm(spec));
  return list;
}

void read_value(const Json& value, const std::string& path, const Limits&, Summands& out,
                Reading& reading) {
  if (!value.is_array()) return reading.wrong_kind(path, value, "a list of number formats");
  if (value.empty()) return reading.fail(Errc::config_range, path, "lists no number format");
  out.bits = 0;
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
    Summand one{};
    read_value(value[i], pointer(path, i), {}, one, reading);
    out.bits |= InNetwork::bit(one);
  }
}

OrderedJson schema_of(Kind<Summands>, const Limits& limits) {
  return {{"type", "array"}, {"minItems", 1}, {"items", schema_of(Kind<Summand>{}, limits)}};
}

std::string about_kind(Kind<Summands>, const Limits& limits) {
  return "a list of " + about_kind(Kind<Summand>{}, limits);
}
OrderedJson write_value(Summands value) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [word, summand] : config::EnumNames<Summand>::names)
    if ((value.bits & InNetwork::bit(summand)) != 0) list.push_back(word);
  return list;
}

OrderedJson write_value(const MemoryStage& stage) {
  OrderedJson keys = config::write_struct(config::table_of<MemoryStage>(), &stage);
  if (stage.shape != MemoryShape::straight) keys.erase("links");
  return keys;
}

void read_value(const Json& value, const std::string& path, const Limits&, EnabledValue& out,
                Reading& reading) {
  if (value.is_boolean()) {
    out.is_enabled = value.get<bool>();
  } else if (value == 0 || value == 1 || value == 2) {
    out.is_enabled = value != 0;
  } else {
    reading.wrong_kind(path, value, "true or false (or 0, 1 or 2)");
  }
}

OrderedJson write_value(const EnabledValue& value) { return value.is_enabled; }
OrderedJson schema_of(Kind<EnabledValue>, const Limits&) {
  return {{"enum", {true, false, 0, 1, 2}}};
}

void read_value(const Json& value, const std::string& path, const Limits& limits, ChunksValue& out,
                Reading& reading) {
  out.by_model = value == "auto";
  if (!out.by_model) config::read_value(value, path, limits, out.count, reading);
}

OrderedJson schema_of(Kind<ChunksValue>, const Limits& limits) {
  const OrderedJson word{{"const", "auto"}};
  return {{"anyOf", OrderedJson::array({config::schema_of(Kind<std::int64_t>{}, limits), word})}};
}

std::string about_kind(Kind<ChunksValue>, const Limits& limits) {
  return config::about_kind(Kind<std::int64_t>{}, limits) + ", or `auto`";
}

OrderedJson write_value(const ChunksValue& value) {
  if (value.by_model) return "auto";
  return value.count;
}

void read_value(const Json& value, const std::string& path, const Limits&, NodePrefixes& out,
                Reading& reading) {
  if (!value.is_object())
    return reading.wrong_kind(path, value, "a mapping of node id to plan file or trace prefix");
  for (const auto& [key, prefix] : value.items()) {
    const auto id = whole_number(key);
    if (!id) {
      return reading.fail(Errc::config_type, pointer(path, key),
                          "the key must be a node id, a whole number");
    }
    if (!prefix.is_string())
      return reading.wrong_kind(pointer(path, key), prefix, "a trace prefix");
    out.by_id[*id] = prefix.get<std::string>();
  }
}

OrderedJson schema_of(Kind<NodePrefixes>, const Limits&) {
  return {{"type", "object"},
          {"patternProperties", {{"^[0-9]+$", {{"type", "string"}}}}},
          {"additionalProperties", false}};
}

OrderedJson write_value(const NodePrefixes& value) {
  if (value.by_id.empty()) return nullptr;
  OrderedJson object = OrderedJson::object();
  for (const auto& [id, prefix] : value.by_id) object[std::to_string(id)] = prefix;
  return object;
}

std::vector<std::string_view> compute_names() { return config::enum_names<TimeSource>(); }

std::optional<TimeSource> compute_model(std::string_view name) {
  for (const auto& [word, meaning] : config::EnumNames<TimeSource>::names)
    if (word == name) return meaning;
  return std::nullopt;
}

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// Parameters declared once. A struct lists its members in a table:
//
//   struct Part {
//     std::int64_t size = 2;
//     Time latency = ns(500);
//     static constexpr auto fields = std::tuple{
//         field("size", &Part::size, "how many nodes", at_least(1)),
//         field("latency", &Part::latency, "time per hop")};
//   };
//
// and from that table come the reader (errors name a JSON pointer; an unknown key names the nearest
// one), the JSON Schema, the reference page and the writer. Member defaults are the parameters'
// defaults.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/field.h"
#include "orrery/core/quantity.h"
#include "orrery/core/suggest.h"

namespace orrery::config {

using OrderedJson = nlohmann::ordered_json;

/// A struct with a table of parameters.
template <class T>
concept Declared = requires {
  T::fields;
};

/// A declared struct that may also be written as one word: the parameter `T::shorthand`.
template <class T>
concept HasShorthand = Declared<T> && requires {
  T::shorthand;
};

template <class T>
concept Worded = std::is_enum_v<T> && requires {
  Words<T>::names;
};

/// Where reading stands: the first error stops everything after it.
struct Reading {
  std::string where;
  std::optional<Error> error{};

  void fail(Errc code, const std::string& path, std::string what, std::string hint = {}) {
    if (!error)
      error =
          Error{code, where + ":" + (path.empty() ? "/" : path), std::move(what), std::move(hint)};
  }
  /// "is text where a list belongs"
  void wrong_kind(const std::string& path, const Json& value, std::string_view wanted);
};

// Single values. Each kind reads itself, describes itself for the schema and for people, and writes
// itself.

void read_value(const Json& value, const std::string& path, const Limits& limits, std::int64_t& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, double& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, bool& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, std::string& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, Time& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, Bytes& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, Bandwidth& out,
                Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits, FlopRate& out,
                Reading& reading);

/// A member's type, as an argument.
template <class T>
struct Kind {};

OrderedJson schema_of(Kind<std::int64_t>, const Limits& limits);
OrderedJson schema_of(Kind<double>, const Limits& limits);
OrderedJson schema_of(Kind<bool>, const Limits& limits);
OrderedJson schema_of(Kind<std::string>, const Limits& limits);
OrderedJson schema_of(Kind<Time>, const Limits& limits);
OrderedJson schema_of(Kind<Bytes>, const Limits& limits);
OrderedJson schema_of(Kind<Bandwidth>, const Limits& limits);
OrderedJson schema_of(Kind<FlopRate>, const Limits& limits);

std::string about_kind(Kind<std::int64_t>, const Limits& limits);
std::string about_kind(Kind<double>, const Limits& limits);
inline std::string about_kind(Kind<bool>, const Limits&) { return "`true` or `false`"; }
inline std::string about_kind(Kind<std::string>, const Limits&) { return "text"; }
inline std::string about_kind(Kind<Time>, const Limits&) { return "time, e.g. `1.5 us`"; }
inline std::string about_kind(Kind<Bytes>, const Limits&) { return "size, e.g. `80 GB`"; }
inline std::string about_kind(Kind<Bandwidth>, const Limits&) {
  return "bandwidth, e.g. `50 GB/s`, `400 Gb/s`";
}
inline std::string about_kind(Kind<FlopRate>, const Limits&) { return "speed, e.g. `989 TFLOP/s`"; }

// Lists of single values; limits are those of the list's length.
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<std::int64_t>& out, Reading& reading);
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<std::string>& out, Reading& reading);
OrderedJson schema_of(Kind<std::vector<std::int64_t>>, const Limits& limits);
OrderedJson schema_of(Kind<std::vector<std::string>>, const Limits& limits);
inline std::string about_kind(Kind<std::vector<std::int64_t>>, const Limits&) {
  return "a list of whole numbers";
}
inline std::string about_kind(Kind<std::vector<std::string>>, const Limits&) {
  return "a list of words";
}

inline OrderedJson write_value(std::int64_t value) { return value; }
inline OrderedJson write_value(const std::vector<std::int64_t>& values) { return values; }
inline OrderedJson write_value(const std::vector<std::string>& values) { return values; }
inline OrderedJson write_value(double value) { return value; }
inline OrderedJson write_value(bool value) { return value; }
inline OrderedJson write_value(const std::string& value) { return value; }
OrderedJson write_value(Time value);
OrderedJson write_value(Bytes value);
OrderedJson write_value(Bandwidth value);
OrderedJson write_value(FlopRate value);

// Enumerations.

template <Worded E>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : Words<E>::names) words.push_back(word);
  return words;
}

template <Worded E>
void read_value(const Json& value, const std::string& path, const Limits&, E& out,
                Reading& reading) {
  const std::vector<std::string_view> words = words_of<E>();
  if (!value.is_string()) return reading.wrong_kind(path, value, "one of " + join(words));
  const std::string& text = value.get_ref<const std::string&>();
  for (const auto& [word, meaning] : Words<E>::names) {
    if (word != text) continue;
    out = meaning;
    return;
  }
  reading.fail(Errc::config_range, path, in_quotes(text) + " is not one of " + join(words),
               did_you_mean(text, words));
}

template <Worded E>
OrderedJson schema_of(Kind<E>, const Limits&) {
  return {{"enum", words_of<E>()}};
}

template <Worded E>
std::string about_kind(Kind<E>, const Limits&) {
  return "`" + join(words_of<E>(), "`, `") + "`";
}

template <Worded E>
OrderedJson write_value(E value) {
  for (const auto& [word, meaning] : Words<E>::names) {
    if (meaning == value) return word;
  }
  return nullptr;
}

// Compounds call each other, so all are declared before any is defined.

template <Declared S>
void read_value(const Json& value, const std::string& path, const Limits&, S& out,
                Reading& reading);
template <Declared S>
OrderedJson schema_of(Kind<S>, const Limits&);
template <Declared S>
OrderedJson write_value(const S& value);
template <Declared S>
std::string about_kind(Kind<S>, const Limits&) {
  return HasShorthand<S> ? "a name, or a mapping (below)" : "a mapping (below)";
}

template <class T>
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::optional<T>& out, Reading& reading) {
  T inner = out.value_or(T{});
  read_value(value, path, limits, inner, reading);
  out = std::move(inner);
}
template <class T>
OrderedJson schema_of(Kind<std::optional<T>>, const Limits& limits) {
  return schema_of(Kind<T>{}, limits);
}
template <class T>
std::string about_kind(Kind<std::optional<T>>, const Limits& limits) {
  return about_kind(Kind<T>{}, limits);
}
template <class T>
OrderedJson write_value(const std::optional<T>& value) {
  return value ? write_value(*value) : OrderedJson(nullptr);
}

template <Declared S>
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<S>& out, Reading& reading) {
  if (!value.is_array()) return reading.wrong_kind(path, value, "a list");
  if (static_cast<double>(value.size()) < limits.low ||
      static_cast<double>(value.size()) > limits.high) {
    return reading.fail(Errc::config_range, path,
                        "lists " + std::to_string(value.size()) +
                            " entries: " + about_kind(Kind<std::vector<S>>{}, limits));
  }
  out.clear();
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
    S item{};
    read_value(value[i], pointer(path, i), {}, item, reading);
    out.push_back(std::move(item));
  }
}
template <Declared S>
OrderedJson schema_of(Kind<std::vector<S>>, const Limits& limits) {
  return {{"type", "array"},
          {"minItems", static_cast<std::int64_t>(limits.low)},
          {"maxItems", static_cast<std::int64_t>(limits.high)},
          {"items", schema_of(Kind<S>{}, {})}};
}
template <Declared S>
std::string about_kind(Kind<std::vector<S>>, const Limits& limits) {
  return "a list of " + std::to_string(static_cast<int>(limits.low)) + " to " +
         std::to_string(static_cast<int>(limits.high)) + " mappings (below)";
}
template <Declared S>
OrderedJson write_value(const std::vector<S>& values) {
  OrderedJson list = OrderedJson::array();
  for (const S& value : values) list.push_back(write_value(value));
  return list;
}

// Declared structs.

/// Calls `use(field)` for each parameter of S.
template <Declared S, class Use>
constexpr void for_each_field(Use use) {
  std::apply([&](const auto&... each) { (use(each), ...); }, S::fields);
}

template <Declared S>
void read_value(const Json& value, const std::string& path, const Limits&, S& out,
                Reading& reading) {
  if constexpr (HasShorthand<S>) {
    if (value.is_string()) {
      return read_value(Json{{std::string(S::shorthand), value}}, path, {}, out, reading);
    }
  }
  if (!value.is_object()) return reading.wrong_kind(path, value, "a mapping");
  std::vector<std::string_view> names;
  for_each_field<S>([&](const auto& each) { names.push_back(each.name); });
  for (const auto& [key, unused] : value.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string near = did_you_mean(key, names);
    return reading.fail(Errc::config_unknown_key, pointer(path, key), "no such key here",
                        near.empty() ? "the keys here are " + join(names) : near);
  }
  for_each_field<S>([&](const auto& each) {
    if (reading.error) return;
    const auto found = value.find(std::string(each.name));
    const bool given = found != value.end() && !found->is_null();
    if (given) {
      read_value(*found, pointer(path, each.name), each.limits, out.*each.member, reading);
    } else if (each.is_required) {
      reading.fail(Errc::config_missing_key, pointer(path, each.name),
                   "is missing: " + std::string(each.about));
    }
  });
}

template <Declared S>
OrderedJson schema_of(Kind<S>, const Limits&) {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  const S defaults{};
  for_each_field<S>([&](const auto& each) {
    using Member = std::remove_cvref_t<decltype(defaults.*each.member)>;
    OrderedJson property = schema_of(Kind<Member>{}, each.limits);
    property["description"] = each.about;
    if (each.is_required) {
      required.push_back(each.name);
    } else if (each.default_note.empty()) {
      const OrderedJson value = write_value(defaults.*each.member);
      if (value.is_primitive() && !value.is_null()) property["default"] = value;
    }
    properties[std::string(each.name)] = std::move(property);
  });
  OrderedJson schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  if constexpr (HasShorthand<S>) return {{"oneOf", {OrderedJson{{"type", "string"}}, schema}}};
  return schema;
}

template <Declared S>
OrderedJson write_value(const S& value) {
  OrderedJson object = OrderedJson::object();
  for_each_field<S>([&](const auto& each) {
    OrderedJson item = write_value(value.*each.member);
    if (!item.is_null()) object[std::string(each.name)] = std::move(item);
  });
  return object;
}

/// A Markdown table of S's parameters: key, value, default, meaning.
template <Declared S>
std::string reference_table() {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  const S defaults{};
  for_each_field<S>([&](const auto& each) {
    using Member = std::remove_cvref_t<decltype(defaults.*each.member)>;
    std::string by_default(each.default_note);
    if (each.is_required) {
      by_default = "**required**";
    } else if (by_default.empty()) {
      const OrderedJson value = write_value(defaults.*each.member);
      const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
      by_default =
          value.is_null() || value.is_structured() || word.empty() ? "none" : "`" + word + "`";
    }
    text += "| `" + std::string(each.name) + "` | " + about_kind(Kind<Member>{}, each.limits) +
            " | " + by_default + " | " + std::string(each.about) + " |\n";
  });
  return text;
}

}  // namespace orrery::config

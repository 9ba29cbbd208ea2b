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
// defaults. The table of a struct that does not know its file format is
// ParameterTable<Part>::fields.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/field.h"
#include "orrery/config/json.h"
#include "orrery/core/quantity.h"
#include "orrery/core/text/suggest.h"

namespace orrery::config {

template <class T>
concept HasFields = requires {
  T::fields;
};

/// A struct with a parameter table: its own, or ParameterTable<T>::fields.
template <class T>
concept Declared = HasFields<T> || requires {
  ParameterTable<T>::fields;
};

template <Declared T>
constexpr const auto& fields_of() {
  if constexpr (HasFields<T>)
    return T::fields;
  else
    return ParameterTable<T>::fields;
}

/// A struct with a table that may also be written as a single value: the parameter `T::shorthand`.
template <class T>
concept HasShorthand = Declared<T> && requires {
  T::shorthand;
};

/// State of a read: after the first error, nothing more is read.
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

// Scalars: each has a reader, a schema, a description in words and a writer.

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

// Lists of scalars; limits apply to the list's length.
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

/// The index of the value in `words`; empty, with an error in `reading`, if it is not among them.
[[nodiscard]] std::optional<std::size_t> read_enum_name(const Json& value, const std::string& path,
                                                        const std::vector<std::string_view>& words,
                                                        Reading& reading);
[[nodiscard]] OrderedJson schema_of_enum(const std::vector<std::string_view>& words);
[[nodiscard]] OrderedJson write_enum_name(std::string_view word);

template <NamedEnum E>
void read_value(const Json& value, const std::string& path, const Limits&, E& out,
                Reading& reading) {
  const auto place = read_enum_name(value, path, enum_names<E>(), reading);
  if (!place) return;
  const auto& [word, meaning] = EnumNames<E>::names[*place];
  out = meaning;
}

template <NamedEnum E>
OrderedJson schema_of(Kind<E>, const Limits&) {
  return schema_of_enum(enum_names<E>());
}

template <NamedEnum E>
std::string about_kind(Kind<E>, const Limits&) {
  return "`" + join(enum_names<E>(), "`, `") + "`";
}

template <NamedEnum E>
OrderedJson write_value(E value) {
  const std::string_view word = enum_name(value);
  return word.empty() ? OrderedJson(nullptr) : write_enum_name(word);
}

// Compound types are mutually recursive, so all are declared before any is defined.

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

/// Whether the value is a list whose length is within `limits`; else an error in `reading`.
/// `about`: the expected value, in words.
[[nodiscard]] bool is_list(const Json& value, const std::string& path, const Limits& limits,
                           const std::string& about, Reading& reading);
[[nodiscard]] OrderedJson schema_of_list(OrderedJson items, const Limits& limits);
[[nodiscard]] std::string about_list(const Limits& limits);

template <Declared S>
std::string about_kind(Kind<std::vector<S>>, const Limits& limits) {
  return about_list(limits);
}
template <Declared S>
void read_value(const Json& value, const std::string& path, const Limits& limits,
                std::vector<S>& out, Reading& reading) {
  if (!is_list(value, path, limits, about_list(limits), reading)) return;
  out.clear();
  for (std::size_t i = 0; i < value.size() && !reading.error; ++i) {
    S item{};
    read_value(value[i], pointer(path, i), {}, item, reading);
    out.push_back(std::move(item));
  }
}
template <Declared S>
OrderedJson schema_of(Kind<std::vector<S>>, const Limits& limits) {
  return schema_of_list(schema_of(Kind<S>{}, {}), limits);
}
template <Declared S>
OrderedJson write_value(const std::vector<S>& values) {
  OrderedJson list = OrderedJson::array();
  for (const S& value : values) list.push_back(write_value(value));
  return list;
}

// Structs with tables. Each struct's table is type-erased once, so the code that uses tables is
// compiled once.

/// Type-erased reader, writer and description of a member.
struct Operations {
  void (*read)(const Json& value, const std::string& path, const Limits& limits, void* out,
               Reading& reading);
  OrderedJson (*write)(const void* value);
  OrderedJson (*schema)(const Limits& limits);
  std::string (*about)(const Limits& limits);
};

template <class Member, class Form>
void read_member(const Json& value, const std::string& path, const Limits& limits, void* out,
                 Reading& reading) {
  Member& member = *static_cast<Member*>(out);
  if constexpr (std::is_same_v<Member, Form>) {
    read_value(value, path, limits, member, reading);
  } else {
    Form form{};
    read_value(value, path, limits, form, reading);
    member = static_cast<Member>(form);
  }
}

template <class Member, class Form>
inline constexpr Operations kOperations = {
    read_member<Member, Form>,
    [](const void* value) {
      const Member& member = *static_cast<const Member*>(value);
      if constexpr (std::is_same_v<Member, Form>)
        return write_value(member);
      else
        return write_value(Form{member});
    },
    [](const Limits& limits) { return schema_of(Kind<Form>{}, limits); },
    [](const Limits& limits) { return about_kind(Kind<Form>{}, limits); }};

/// One line of a struct's table.
struct Parameter {
  std::string_view name, about, default_note;
  Limits limits;
  bool is_required = false;
  bool is_unset_by_default = false;
  std::ptrdiff_t offset = 0;  ///< of the member, in bytes from the struct's beginning
  const Operations* operations = nullptr;

  [[nodiscard]] const void* in(const void* owner) const {
    return static_cast<const char*>(owner) + offset;
  }
  [[nodiscard]] void* in(void* owner) const { return static_cast<char*>(owner) + offset; }
};

struct Table {
  std::vector<Parameter> parameters;
  const void* defaults = nullptr;  ///< a struct with the default of every member
  std::string_view shorthand;      ///< empty: none
};

void read_struct(const Json& value, const std::string& path, const Table& table, void* out,
                 Reading& reading);
[[nodiscard]] OrderedJson schema_of_struct(const Table& table);
[[nodiscard]] OrderedJson write_struct(const Table& table, const void* value);
[[nodiscard]] std::string reference_of_struct(const Table& table);

template <Declared S>
const Table& table_of() {
  static const S defaults{};
  static const Table table = [] {
    Table made;
    made.defaults = &defaults;
    if constexpr (HasShorthand<S>) made.shorthand = S::shorthand;
    const auto add = [&made]<class O, class Member, class Form>(const Field<O, Member, Form>& each,
                                                                const Member& member) {
      const auto offset = reinterpret_cast<const char*>(&member) -  //
                          reinterpret_cast<const char*>(&defaults);
      made.parameters.push_back({each.name, each.about, each.default_note, each.limits,
                                 each.is_required, each.is_unset_by_default, offset,
                                 &kOperations<Member, Form>});
    };
    std::apply([&](const auto&... each) { (add(each, defaults.*each.member), ...); },
               fields_of<S>());
    return made;
  }();
  return table;
}

template <Declared S>
void read_value(const Json& value, const std::string& path, const Limits&, S& out,
                Reading& reading) {
  read_struct(value, path, table_of<S>(), &out, reading);
}

template <Declared S>
OrderedJson schema_of(Kind<S>, const Limits&) {
  return schema_of_struct(table_of<S>());
}

template <Declared S>
OrderedJson write_value(const S& value) {
  return write_struct(table_of<S>(), &value);
}

/// A Markdown table of S's parameters: key, value, default, meaning.
template <Declared S>
std::string reference_table() {
  return reference_of_struct(table_of<S>());
}

}  // namespace orrery::config

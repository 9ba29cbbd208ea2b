// SPDX-License-Identifier: Apache-2.0
//
// The fields of questions, declared once. A struct that a command asks has a table:
//
//   struct ShardQuestion {
//     std::string tables;
//     std::int64_t devices = 8;
//     static constexpr auto fields = std::tuple{
//         QuestionField{"tables", &ShardQuestion::tables, "TABLES", "", kAnswer, "a.csv", "A CSV"}
//             .required(),
//         QuestionField{"devices", &ShardQuestion::devices, "--devices", "N", kAnswer, "4",
//                       "How many"}
//             .shows_default()};
//   };
//
// The command line, its help and errors, completion, `orrery schema question` and tests follow from
// it. A member without a row does not compile, nor does a row without a second value or a sentence.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/check.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"

namespace orrery::config {

/// What must be recomputed when a field changes; flags may be combined.
enum Stage : unsigned {
  kNothing = 0,  ///< only how it is computed or shown
  kCluster = 1,
  kLoad = 2,     ///< the workload
  kAnswer = 4,   ///< only what is computed from them
  kRunFile = 8,  ///< only what is stored
  /// Not listed in a run file's manifest: it names or describes an input whose content the manifest
  /// records, or it affects no result.
  kUnlisted = 16,
};

/// One field.
template <class Owner, class Member>
struct QuestionField {
  std::string_view name;  ///< as the member; the key in JSON
  Member Owner::*member;
  std::string_view options;  ///< "--network,--network-model", "FILE"; empty: only programs set it
  std::string_view type;     ///< of the option's value in help; empty: a flag, or an argument
  unsigned stages;
  std::string_view other;  ///< another legal value, as text: tests change each field to it
  std::string_view about;
  /// The allowed values; null: any, or the names of an enumeration.
  std::vector<std::string_view> (*choices)() = nullptr;
  std::string_view path{};   ///< of what it sets in a job's specification
  std::string_view modes{};  ///< of its command that have it: "'fit', 'plot'"; empty: all
  bool is_required = false, default_shown = false, one_value = false, is_advanced = false;
  char separator = 0;
  std::int64_t least = 0, most = -1;  ///< no limits where `most` is less

  [[nodiscard]] constexpr QuestionField required() const {
    return with([](QuestionField& field) { field.is_required = true; });
  }
  /// Shows the default in help.
  [[nodiscard]] constexpr QuestionField shows_default() const {
    return with([](QuestionField& field) { field.default_shown = true; });
  }
  /// Takes one value per occurrence of the option, so arguments may follow it.
  [[nodiscard]] constexpr QuestionField one_each() const {
    return with([](QuestionField& field) { field.one_value = true; });
  }
  /// Allows comma-separated values.
  [[nodiscard]] constexpr QuestionField comma_separated() const {
    return with([](QuestionField& field) { field.separator = ','; });
  }
  /// Lists the option only in --help-all.
  [[nodiscard]] constexpr QuestionField advanced() const {
    return with([](QuestionField& field) { field.is_advanced = true; });
  }
  [[nodiscard]] constexpr QuestionField only_for(std::string_view some) const {
    return with([&](QuestionField& field) { field.modes = some; });
  }
  [[nodiscard]] constexpr QuestionField between(std::int64_t low, std::int64_t high) const {
    return with([&](QuestionField& field) { field.least = low, field.most = high; });
  }

 private:
  template <class Change>
  [[nodiscard]] constexpr QuestionField with(const Change& change) const {
    QuestionField copy = *this;
    change(copy);
    return copy;
  }
};
template <class Owner, class Member, class... More>
QuestionField(std::string_view, Member Owner::*, std::string_view, std::string_view, unsigned,
              std::string_view, std::string_view, More...) -> QuestionField<Owner, Member>;

/// A row of a nested struct's table that a command uses. With its own description (`about`) it is
/// listed with the command's options, otherwise in the group of the nested table.
struct SelectedRow {
  std::string_view name, about{}, modes{};
  std::string_view options{};  ///< instead of the row's
};

/// A member with its own table: all of its rows, or the selected ones, in that order. Without a
/// name, its rows are treated as the owner's.
template <class Owner, class Member, std::size_t N = 0>
struct QuestionStruct {
  template <class... Rows>
  constexpr QuestionStruct(std::string_view called, Member Owner::*part, Rows... rows)
      : name(called), member(part), only{{rows...}} {}

  std::string_view name;
  Member Owner::*member;
  std::array<SelectedRow, N> only;
};
template <class Owner, class Member, class... Rows>
QuestionStruct(std::string_view, Member Owner::*, Rows...)
    -> QuestionStruct<Owner, Member, sizeof...(Rows)>;

/// A member that is not a question: a callback, an output, or options of another table.
template <class Owner, class Member>
struct UndeclaredField {
  Member Owner::*member;
};
template <class Owner, class Member>
UndeclaredField(Member Owner::*) -> UndeclaredField<Owner, Member>;

/// Help heading of the options that follow, up to the next heading; the table's comes first.
struct QuestionGroup {
  std::string_view title;
};

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

struct AnyMember {
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor): aggregates are initialized with it
  requires(!kIsOptional<T>) operator T() const;
};

/// The number of members of an aggregate.
template <class T, class... Any>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Any{}..., AnyMember{}}; })
    return member_count<T, Any..., AnyMember>();
  else
    return sizeof...(Any);
}

template <class Row>
constexpr bool is_complete(const Row& row) {
  if constexpr (requires { row.other; })
    return !row.other.empty() && !row.about.empty() && !row.name.empty();
  return true;
}

template <class Owner, class... Rows>
constexpr bool check_table(const std::tuple<Rows...>& rows) {
  static_assert((std::size_t{!std::is_same_v<Rows, QuestionGroup>} + ...) == member_count<Owner>(),
                "a member without a row");
  return std::apply([](const auto&... row) { return (is_complete(row) && ...); }, rows);
}

}  // namespace detail

/// The table of a struct: its `fields`, or what the overload question_table(const Owner*) returns.
template <class Owner>
constexpr const auto& rows_of() {
  if constexpr (requires { Owner::fields; }) {
    static_assert(detail::check_table<Owner>(Owner::fields), "a row without a second value");
    return Owner::fields;
  } else {
    static_assert(detail::check_table<Owner>(question_table(static_cast<const Owner*>(nullptr))),
                  "a row without a second value");
    return question_table(static_cast<const Owner*>(nullptr));
  }
}

/// Help heading of the first options.
template <class Owner>
constexpr std::string_view group_of() {
  if constexpr (requires { Owner::group; })
    return Owner::group;
  else if constexpr (requires { question_group(static_cast<const Owner*>(nullptr)); })
    return question_group(static_cast<const Owner*>(nullptr));
  else
    return "Options";
}

/// The default value of a field's member.
template <class Owner, class Member>
const Member& default_of(const QuestionField<Owner, Member>& field) {
  static const Owner owner{};
  return owner.*field.member;
}

template <class Owner, class Visit>
void each_row(Owner& owner, const Visit& visit, std::string_view group);

/// Calls `visit(row, value, group)` for each row of `owner` that is a field or a part.
template <class Owner, class Visit>
void each_row(Owner& owner, const Visit& visit) {
  each_row(owner, visit, group_of<std::remove_const_t<Owner>>());
}

template <class Owner, class Visit>
void each_row(Owner& owner, const Visit& visit, std::string_view group) {
  using Plain = std::remove_const_t<Owner>;
  const auto one = [&](const auto& row) {
    if constexpr (requires { row.only; })
      if (row.name.empty()) return each_row(owner.*row.member, visit, group);
    if constexpr (requires { row.name; })
      visit(row, owner.*row.member, group);
    else if constexpr (requires { row.title; })
      group = row.title;
  };
  std::apply([&](const auto&... rows) { (one(rows), ...); }, rows_of<Plain>());
}

/// The rows of a nested struct: visit(row, value, group, selected), all with null, or those
/// selected with their SelectedRow.
template <class Part, class Member, class Visit>
void each_row_of(const Part& part, Member& member, const Visit& visit) {
  if constexpr (std::tuple_size_v<decltype(part.only)> == 0) {
    each_row(member, [&](const auto& row, auto& value, std::string_view group) {
      visit(row, value, group, static_cast<const SelectedRow*>(nullptr));
    });
  } else {
    for (const SelectedRow& chosen : part.only) {
      bool found = false;
      each_row(member, [&](const auto& row, auto& value, std::string_view group) {
        if (row.name != chosen.name) return;
        found = true;
        visit(row, value, group, &chosen);
      });
      ORRERY_CHECK(found);
    }
  }
}

/// Calls `visit(name, field, value)` for a row that is a field, or for each field of a part.
template <class Row, class Value, class Visit>
void each_field_of(const Row& row, Value& value, const Visit& visit, const std::string& prefix) {
  const std::string name = prefix + std::string(row.name);
  if constexpr (requires { row.stages; })
    visit(name, row, value);
  else
    each_row_of(row, value,
                [&](const auto& inner, auto& part, std::string_view, const SelectedRow*) {
                  each_field_of(inner, part, visit, name + ".");
                });
}

/// Calls `visit(name, field, value)` for each field of `owner`, which may be const, in the order of
/// the tables; fields of parts are called "job.tp".
template <class Owner, class Visit>
void each_field(Owner& owner, const Visit& visit) {
  each_row(owner, [&](const auto& row, auto& value, std::string_view) {
    each_field_of(row, value, visit, {});
  });
}

/// A value as text: equal texts, equal values. Items of lists follow their lengths.
[[nodiscard]] inline std::string field_text(const std::string& value) { return value; }
[[nodiscard]] inline std::string field_text(bool value) { return value ? "true" : "false"; }
template <std::integral T>
[[nodiscard]] std::string field_text(T value) {
  return std::to_string(value);
}
[[nodiscard]] std::string field_text(double value);
template <class Unit>
[[nodiscard]] std::string field_text(const Quantity<Unit, std::int64_t>& value) {
  return field_text(value.count());
}
template <NamedEnum E>
[[nodiscard]] std::string field_text(E value) {
  return std::string(enum_name(value));
}
template <class T>
[[nodiscard]] std::string field_text(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    const std::string item = field_text(value);
    text += std::to_string(item.size()) + ":" + item + ",";
  }
  return text;
}
template <class T>
[[nodiscard]] std::string field_text(const std::optional<T>& value) {
  return value ? "given " + field_text(*value) : "none";
}

// Text as a value; of a list one item more. `where`: the option, for errors. Errc: usage,
// unit_invalid.

[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where,
                                     std::string& out);
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, bool& out);
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, double& out);
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, Bytes& out);
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, Time& out);
[[nodiscard]] Result<void> set_enum_name(const std::string& text, std::string_view where,
                                         const std::vector<std::string_view>& words,
                                         std::size_t& place);
[[nodiscard]] Result<std::int64_t> whole_number(const std::string& text, std::string_view where);
template <std::integral T>
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, T& out) {
  const auto number = whole_number(text, where);
  if (!number) return tl::unexpected(number.error());
  out = static_cast<T>(*number);
  return {};
}
template <NamedEnum E>
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where, E& out) {
  std::size_t place = 0;
  if (auto known = set_enum_name(text, where, enum_names<E>(), place); !known) return known;
  out = EnumNames<E>::names[place].second;
  return {};
}
template <class T>
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where,
                                     std::vector<T>& out) {
  return set_field(text, where, out.emplace_back());
}
template <class T>
[[nodiscard]] Result<void> set_field(const std::string& text, std::string_view where,
                                     std::optional<T>& out) {
  return set_field(text, where, out.emplace());
}

}  // namespace orrery::config

// SPDX-License-Identifier: Apache-2.0
//
// The options of a command, from the tables of its question (config/question_table.h). The command
// line, JSON questions, help, completion, schemas and reference pages derive from them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "orrery/config/question_kinds.h"
#include "orrery/config/question_table.h"
#include "orrery/core/error.h"

namespace orrery::report {
class JsonWriter;
}

namespace orrery::commands {

using config::field_text;
using config::kAnswer;
using config::kNothing;
using config::QuestionField;
using config::QuestionGroup;
using config::QuestionStruct;
using config::SelectedRow;
using config::set_field;
using config::UndeclaredField;

/// Members that a command-line parser may set directly. FieldRecord::set sets all other members
/// from text.
using Member = std::variant<std::monostate, bool*, double*, std::int32_t*, std::uint32_t*,
                            std::int64_t*, std::uint64_t*, std::string*, std::vector<std::string>*,
                            std::vector<std::int64_t>*, std::optional<std::int64_t>*,
                            std::optional<std::uint32_t>*>;

/// One option or argument of a command, and the field of the question that it sets.
struct FieldRecord {
  std::string name;          ///< of the field: "base.cluster"
  std::string_view options;  ///< "-o,--output", "TRACES"; empty: not on the command line
  /// Another valid value, for tests; the modes that use the option; its description in the table.
  std::string_view other, modes, about;
  unsigned stages = kNothing;
  bool is_required = false;
  bool is_advanced = false;  ///< listed in --help-all only
  config::FieldKind kind;
  std::vector<std::string_view> choices;
  /// Its current and its default values as texts that the option accepts, one per item of a list.
  std::function<std::vector<std::string>()> values, defaults;
  /// Sets it to `other`.
  std::function<Result<void>()> set_other_value;
  /// Sets it from a text, or appends the text to a list. Checks choices and bounds. Errc: usage,
  /// unit_invalid.
  std::function<Result<void>(const std::string& text)> set;

  // Presentation on the command line.
  std::string group;               ///< title in --help
  std::string help;                ///< description in --help
  std::string type;                ///< "FILE"
  std::string default_text;        ///< shown in --help; empty: none
  bool one_value = false;          ///< one value per occurrence
  char separator = 0;              ///< between values
  std::int64_t low = 0, high = 0;  ///< bounds of a number; equal: none
  int values_each = 1;             ///< number of values after the option
  bool value_optional = false;     ///< the option alone means `default_text`
  std::string excludes;            ///< an option that cannot be given together with it
  Member member;
  std::size_t times_given = 0;  ///< number of occurrences on the command line
};

/// A second name of a field on the command line, or a flag with an optional value: not in JSON.
struct ExtraOption {
  std::string names, help, type{}, group;
  Member value;
  bool is_flag = false;      ///< "--stream[=FOLDER]"; without a value "true"
  bool is_advanced = false;  ///< listed in --help-all only
};

/// A command's name, description and options.
class CommandOptions {
 public:
  explicit CommandOptions(std::string_view command, std::string_view summary)
      : name(command), description(summary) {}
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  std::string name, description;
  std::deque<FieldRecord> fields;  ///< in the order of --help; records do not move
  std::deque<ExtraOption> extras;
  std::function<void()> on_given;   ///< called once after all values are set
  bool files_hold_cluster = false;  ///< its input files contain the cluster, unless --cluster does

  /// The record whose first option is `option`, which must exist.
  [[nodiscard]] FieldRecord& field(std::string_view option);
  /// Whether the option exists and was given.
  [[nodiscard]] bool is_given(std::string_view option) const;
};

/// Sets the modes of the command that use the option: "'fit', 'plot'".
void set_modes(CommandOptions& command, std::string_view option, std::string_view modes);

/// Lists these options, each by its first name, only in --help-all.
void set_advanced(CommandOptions& command, std::initializer_list<std::string_view> options);

/// Checks that `mode` of the command uses every option that was given. Errc: usage.
[[nodiscard]] Result<void> check_mode(const CommandOptions& command, std::string_view mode);

/// Refuses options that change the links of a cluster if no cluster is given, in any command. Errc:
/// usage.
[[nodiscard]] Result<void> check_link_options(const CommandOptions& command);

/// The name in JSON: "--num-layers" is "num_layers", "TRACES" is "traces".
[[nodiscard]] std::string json_name(std::string_view options);

/// Whether results depend on the field.
[[nodiscard]] bool has_effect(const FieldRecord& field);

/// Whether an option concerns a terminal, by its name in JSON: questions of the library do not have
/// such options.
[[nodiscard]] bool is_of_terminal(std::string_view json_name);

/// Writes a field's text as JSON: numbers and flags without quotes.
void write_json(report::JsonWriter& json, const std::string& text, std::string_view type);

/// The question as JSON: an object of the options that affect results and differ from their
/// defaults, by name.
[[nodiscard]] std::string question_json(const CommandOptions& command);

/// The first name of an option: "--network".
[[nodiscard]] inline std::string first_name(std::string_view options) {
  return std::string(options.substr(0, options.find(',')));
}

namespace detail {

// The values of a field as texts that its option accepts.

template <class T>
void add_values(std::vector<std::string>& texts, const T& value) {
  texts.push_back(field_text(value));
}
inline void add_values(std::vector<std::string>& texts, Bytes value) {
  texts.push_back(field_text(value) + "B");
}
inline void add_values(std::vector<std::string>& texts, Time value) {
  texts.push_back(field_text(value) + "ps");
}
template <class T>
void add_values(std::vector<std::string>& texts, const std::optional<T>& value) {
  if (value) add_values(texts, *value);
}
template <class T>
void add_values(std::vector<std::string>& texts, const std::vector<T>& values) {
  for (const T& value : values) add_values(texts, value);
}

template <class T>
std::vector<std::string> texts_of(const T& value) {
  std::vector<std::string> texts;
  add_values(texts, value);
  return texts;
}

/// The allowed values of a field; empty: any.
template <class Owner, class Field>
std::vector<std::string_view> choices_of(const QuestionField<Owner, Field>& field) {
  if (field.choices != nullptr) return field.choices();
  if constexpr (config::NamedEnum<Field>) return config::enum_names<Field>();
  return {};
}

/// Sets the members for the command line; all other members of the record are set.
void complete(FieldRecord& record, std::string_view group);

}  // namespace detail

/// Adds one field to the command.
template <class Owner, class Field>
FieldRecord& add_field(CommandOptions& command, const std::string& name,
                       const QuestionField<Owner, Field>& field, Field& value,
                       std::string_view group) {
  FieldRecord& record = command.fields.emplace_back();
  record.name = name;
  record.options = field.options;
  record.other = field.other;
  record.modes = field.modes;
  record.about = field.about;
  record.stages = field.stages;
  record.is_required = field.is_required;
  record.is_advanced = field.is_advanced;
  record.kind = config::FieldKindOf<Field>::kKind;
  record.choices = detail::choices_of(field);
  record.type = std::string(field.type);
  record.one_value = field.one_value;
  record.separator = field.separator;
  record.low = field.least;
  record.high = field.most;
  record.values = [&value] { return detail::texts_of(value); };
  record.defaults = [member = field.member] {
    static const Owner owner{};
    return detail::texts_of(owner.*member);
  };
  record.set_other_value = [&value, other = std::string(field.other)] {
    value = Field{};
    return set_field(other, {}, value);
  };
  record.set = [&value, option = first_name(field.options)](const std::string& text) {
    return set_field(text, option, value);
  };
  if constexpr (std::is_constructible_v<Member, std::in_place_type_t<Field*>, Field*>)
    if (record.choices.empty() ||
        !(std::is_same_v<Field, std::string> || std::is_same_v<Field, std::vector<std::string>>))
      record.member = &value;
  if (field.default_shown) record.default_text = field_text(value);
  detail::complete(record, group);
  return record;
}

/// Adds a field, or all fields of a part.
template <class Row, class Value>
void add_row(CommandOptions& command, const std::string& prefix, const Row& row, Value& value,
             std::string_view group) {
  const std::string name = prefix + std::string(row.name);
  if constexpr (requires { row.stages; }) {
    add_field(command, name, row, value, group);
  } else {
    const auto add = [&](const auto& inner, auto& part, std::string_view own,
                         const SelectedRow* chosen) {
      auto shown = inner;
      if constexpr (requires { shown.about; })
        if (chosen != nullptr) {  // drops aliases: names of other programs
          shown.options = shown.options.substr(0, shown.options.find(','));
          if (!chosen->about.empty()) shown.about = chosen->about;
          if (!chosen->modes.empty()) shown.modes = chosen->modes;
          if (!chosen->options.empty()) shown.options = chosen->options;
        }
      add_row(command, name + ".", shown, part,
              chosen != nullptr && !chosen->about.empty() ? group : own);
    };
    config::each_row_of(row, value, add);
  }
}

/// Adds the options of a struct's rows for which `wanted(name, group)`; all by default.
template <class Owner, class Wanted>
void add_fields(CommandOptions& command, Owner& owner, const Wanted& wanted) {
  config::each_row(owner, [&](const auto& row, auto& value, std::string_view group) {
    if (wanted(row.name, group)) add_row(command, {}, row, value, group);
  });
}

template <class Owner>
void add_fields(CommandOptions& command, Owner& owner) {
  add_fields(command, owner, [](std::string_view, std::string_view) { return true; });
}

}  // namespace orrery::commands

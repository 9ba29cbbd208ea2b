// SPDX-License-Identifier: Apache-2.0
//
// Options from the tables of questions (config/question_table.h).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orrery/config/question_kinds.h"
#include "orrery/config/question_table.h"
#include "orrery/core/text/suggest.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::app {

using config::field_text;
using config::kAnswer;
using config::kNothing;
using config::QuestionField;
using config::QuestionGroup;
using config::QuestionStruct;
using config::SelectedRow;
using config::set_field;
using config::UndeclaredField;

/// A field of a command's question. `values` and `flip` read it and set it to its second value.
struct FieldRecord {
  std::string name;          ///< "base.cluster"
  std::string_view options;  ///< empty: only programs set it
  std::string_view other, modes, about;
  unsigned stages = kNothing;
  bool is_required = false;
  config::FieldKind kind;
  std::vector<std::string_view> choices;
  /// Texts that its option takes, one for each of a list; now, and where nothing sets it.
  std::function<std::vector<std::string>()> values, defaults;
  std::function<Result<void>()> flip;
};

/// The values of a field as texts that its option takes.
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

/// A command, and the fields that its options set.
class TableCommand : public CLI::App {
 public:
  TableCommand(std::string description, std::string name, CLI::App* parent)
      : App(std::move(description), std::move(name), parent) {}

  std::vector<FieldRecord> fields;
  std::optional<Error> error;  ///< the first of what was typed
};

/// Each command of the program is one.
[[nodiscard]] inline TableCommand& table_command(CLI::App& command) {
  return dynamic_cast<TableCommand&>(command);
}

/// Changes which modes of the command use an option of it: "'fit', 'plot'".
void set_modes(CLI::App& command, std::string_view option, std::string_view modes);

/// Errc: usage: an option was typed that `mode` of the command has no use for.
[[nodiscard]] Result<void> check_mode(CLI::App& command, std::string_view mode);

/// Of the option's names: "--num-layers" is "num_layers" in JSON, "TRACES" "traces".
[[nodiscard]] std::string json_name(std::string_view options);

/// Figures follow from it.
[[nodiscard]] bool has_effect(const FieldRecord& field);

/// Writes a field's text: numbers and flags are no strings in JSON.
void write_json(report::JsonWriter& json, const std::string& text, std::string_view type);

/// The question as JSON: an object of the options that figures follow from and whose values are
/// not the default's, by their names.
[[nodiscard]] std::string question_json(const TableCommand& command);

/// What CLI11 reads; all else set_field() does.
template <class T>
concept Native = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::vector<std::int64_t>> ||
    std::is_same_v<T, std::optional<std::int64_t>> ||
    std::is_same_v<T, std::optional<std::uint32_t>>;

/// The first name of an option: "--network".
[[nodiscard]] inline std::string first_name(std::string_view options) {
  return std::string(options.substr(0, options.find(',')));
}

/// All that a field may be; empty: anything.
template <class Owner, class Member>
std::vector<std::string_view> choices_of(const QuestionField<Owner, Member>& field) {
  if (field.choices != nullptr) return field.choices();
  if constexpr (config::NamedEnum<Member>) return config::enum_names<Member>();
  return {};
}

/// Sets `value` to what is typed, or notes what is wrong with it.
template <class Member>
CLI::Option* add_value(TableCommand& command, const std::string& names, Member& value,
                       const std::string& about, std::vector<std::string_view> choices) {
  const auto read = [&command, &value, option = first_name(names),
                     choices = std::move(choices)](const std::string& text) {
    auto set = choices.empty() ? Result<void>{} : one_of(option, text, choices);
    if (set) set = set_field(text, option, value);
    if (!set && !command.error) command.error = set.error();
  };
  return command.add_option_function<std::string>(names, read, about);
}

/// Adds the option of one field, and notes the field.
template <class Owner, class Member>
void add_field(TableCommand& command, const std::string& name,
               const QuestionField<Owner, Member>& field, Member& value, std::string_view group) {
  const auto choices = choices_of(field);
  command.fields.push_back({.name = name,
                            .options = field.options,
                            .other = field.other,
                            .modes = field.modes,
                            .about = field.about,
                            .stages = field.stages,
                            .is_required = field.is_required,
                            .kind = config::FieldKindOf<Member>::kKind,
                            .choices = choices,
                            .values = [&value] { return texts_of(value); },
                            .defaults =
                                [member = field.member] {
                                  static const Owner owner{};
                                  return texts_of(owner.*member);
                                },
                            .flip =
                                [&value, other = std::string(field.other)] {
                                  value = Member{};
                                  return set_field(other, {}, value);
                                }});
  if (field.options.empty()) return;
  const std::string names(field.options);
  std::string about(field.about);
  // What an argument may be stands nowhere else in help.
  constexpr std::size_t kMostShown = 12;
  if (names.front() != '-' && choices.size() <= kMostShown)
    for (std::size_t i = 0; i < choices.size(); ++i)
      about += (i == 0 ? ": " : ", ") + std::string(choices[i]);
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<Member, bool>) {
    option = command.add_flag(names, value, about);
  } else {
    if constexpr (Native<Member>) {
      if (choices.empty() || !std::is_same_v<Member, std::string>)
        option = command.add_option(names, value, about);
    }
    if (option == nullptr) option = add_value(command, names, value, about, choices);
    option->type_name(std::string(field.type));
    if (field.default_shown) option->default_str(field_text(value));
    if (field.one_value) option->allow_extra_args(false);
    if (field.separator != 0) option->delimiter(field.separator);
    if (field.most > field.least) option->check(CLI::Range(field.least, field.most));
    if (field.is_required) option->required();
  }
  option->group(std::string(group));
}

/// A field, or all of a part.
template <class Row, class Value>
void add_row(TableCommand& command, const std::string& prefix, const Row& row, Value& value,
             std::string_view group) {
  const std::string name = prefix + std::string(row.name);
  if constexpr (requires { row.stages; }) {
    add_field(command, name, row, value, group);
  } else {
    const auto add = [&](const auto& inner, auto& part, std::string_view own,
                         const SelectedRow* chosen) {
      auto shown = inner;
      if constexpr (requires { shown.about; })
        if (chosen != nullptr) {  // without the names of other programs
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
void add_fields(CLI::App& command, Owner& owner, const Wanted& wanted) {
  config::each_row(owner, [&](const auto& row, auto& value, std::string_view group) {
    if (wanted(row.name, group)) add_row(table_command(command), {}, row, value, group);
  });
}

template <class Owner>
void add_fields(CLI::App& command, Owner& owner) {
  add_fields(command, owner, [](std::string_view, std::string_view) { return true; });
}

}  // namespace orrery::app

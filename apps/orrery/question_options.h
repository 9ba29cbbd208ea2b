// SPDX-License-Identifier: Apache-2.0
//
// Options from the tables of a question's fields.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "orrery/study/question_fields.h"

namespace orrery::app {

/// What an option can set.
template <class T>
concept Settable = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::vector<std::string>> || std::is_same_v<T, std::optional<std::int64_t>>;

/// Adds the option of one field, if it has one.
template <class Owner, class Member>
void add_field(CLI::App& command, const study::QuestionField<Owner, Member>& field, Owner& owner,
               std::string_view group) {
  if constexpr (Settable<Member>) {
    if (field.options.empty()) return;
    const std::string names(field.options), about(field.about);
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<Member, bool>)
      option = command.add_flag(names, owner.*field.member, about);
    else
      option =
          command.add_option(names, owner.*field.member, about)->type_name(std::string(field.type));
    option->group(std::string(group));
  }
}

/// Adds the options of a struct's own fields for which `wanted(field, group)`; all by default.
template <class Owner, class Wanted>
void add_fields(CLI::App& command, Owner& owner, const Wanted& wanted, std::string_view group) {
  const auto add = [&](const auto& row) {
    if constexpr (requires { row.stages; }) {
      if (wanted(row.name, group)) add_field(command, row, owner, group);
    } else if constexpr (requires { row.member; }) {
      if (row.name.empty())
        add_fields(
            command, owner.*row.member,
            [&](std::string_view name, std::string_view) { return wanted(name, group); }, group);
    } else if constexpr (requires { row.title; }) {
      group = row.title;
    }
  };
  std::apply([&](const auto&... rows) { (add(rows), ...); }, study::QuestionTable<Owner>::fields);
}

template <class Owner, class Wanted>
void add_fields(CLI::App& command, Owner& owner, const Wanted& wanted) {
  add_fields(command, owner, wanted, study::QuestionTable<Owner>::group);
}

template <class Owner>
void add_fields(CLI::App& command, Owner& owner) {
  add_fields(command, owner, [](std::string_view, std::string_view) { return true; });
}

}  // namespace orrery::app

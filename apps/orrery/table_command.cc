// SPDX-License-Identifier: Apache-2.0
#include "table_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace orrery::app {

namespace {

/// CLI11's option for a member that CLI11 sets; null if FieldRecord::set does it.
CLI::Option* add_member(CLI::App& command, const std::string& names, const Member& member,
                        const std::string& help) {
  return std::visit(
      [&](auto value) -> CLI::Option* {
        using M = decltype(value);
        if constexpr (std::is_same_v<M, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<M, bool*>)
          return command.add_flag(names, *value, help);
        else
          return command.add_option(names, *value, help);
      },
      member);
}

}  // namespace

TableCommand::TableCommand(const Command& command, Session& session, CLI::App* parent)
    : App(std::string(command.summary), std::string(command.name), parent),
      bound_(command, session) {
  description(bound_.options.description);
  for (FieldRecord& field : bound_.options.fields)
    if (!field.options.empty()) add_option(field);
  for (const ExtraOption& extra : bound_.options.extras) add_extra(extra);
  for (const FieldRecord& field : bound_.options.fields)
    if (!field.excludes.empty())
      get_option(first_name(field.options))->excludes(get_option(field.excludes));
}

void TableCommand::add_option(FieldRecord& field) {
  CLI::Option* option = add_member(*this, std::string(field.options), field.member, field.help);
  const auto set_text = [this, &field](const std::string& text) {
    if (auto set = field.set(text); !set && !error_) error_ = set.error();
  };
  if (option == nullptr && field.separator != 0)
    option = add_option_function<std::vector<std::string>>(
        std::string(field.options),
        [set_text](const std::vector<std::string>& texts) {
          for (const std::string& text : texts) set_text(text);
        },
        field.help);
  else if (option == nullptr)
    option = add_option_function<std::string>(std::string(field.options), set_text, field.help);
  option->group(field.group);
  if (std::holds_alternative<bool*>(field.member)) return;
  option->type_name(field.type);
  if (!field.default_text.empty()) option->default_str(field.default_text);
  if (field.values_each > 1) option->expected(field.values_each);
  if (field.value_optional) option->expected(0, 1);
  if (field.one_value) option->allow_extra_args(false);
  if (field.separator != 0) option->delimiter(field.separator);
  if (field.high > field.low) option->check(CLI::Range(field.low, field.high));
  if (field.is_required) option->required();
}

void TableCommand::add_extra(const ExtraOption& extra) {
  CLI::Option* option = nullptr;
  if (extra.is_flag)
    option = add_flag(extra.names, *std::get<std::string*>(extra.value), extra.help)
                 ->option_text(extra.type);
  else
    option = add_member(*this, extra.names, extra.value, extra.help)->type_name(extra.type);
  option->group(extra.group);
}

Error empty_value_error(const std::string& name) {
  return {
      Errc::usage, name, "the value is empty",
      fmt::format("give a value, or leave {} out", name.starts_with('-') ? "the option" : "it")};
}

std::optional<Error> TableCommand::empty_value() const {
  for (const CLI::Option* option : get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") == values.end()) continue;
    return empty_value_error(option->get_name());
  }
  return std::nullopt;
}

std::optional<Error> TableCommand::finish() {
  if (auto empty = empty_value()) return empty;
  for (FieldRecord& field : bound_.options.fields)
    if (!field.options.empty()) field.times_given = get_option(first_name(field.options))->count();
  if (bound_.options.on_given) bound_.options.on_given();
  return std::exchange(error_, std::nullopt);
}

}  // namespace orrery::app

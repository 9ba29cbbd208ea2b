// SPDX-License-Identifier: Apache-2.0
//
// Converts the options of a command for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "orrery/commands/command.h"
#include "session.h"

namespace orrery::app {

/// The error for an empty value, which is a mistake of a script, such as an unset variable:
/// --model "$MODEL". `name`: of the option or the argument.
[[nodiscard]] Error empty_value_error(const std::string& name);

/// A command of the program as a CLI11 subcommand.
class TableCommand : public CLI::App {
 public:
  TableCommand(const Command& command, Session& session, CLI::App* parent);

  [[nodiscard]] BoundCommand& bound() { return bound_; }
  [[nodiscard]] const BoundCommand& bound() const { return bound_; }
  [[nodiscard]] const std::deque<FieldRecord>& fields() const { return bound_.options.fields; }
  /// Call it after parsing. Counts the occurrences of each option. Returns the first error in the
  /// values.
  [[nodiscard]] std::optional<Error> finish();

 private:
  void add_option(FieldRecord& field);
  void add_extra(const ExtraOption& extra);
  [[nodiscard]] std::optional<Error> empty_value() const;

  BoundCommand bound_;
  std::optional<Error> error_;
};

[[nodiscard]] inline TableCommand& table_command(CLI::App& command) {
  return dynamic_cast<TableCommand&>(command);
}

}  // namespace orrery::app

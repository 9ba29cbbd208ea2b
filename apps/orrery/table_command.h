// SPDX-License-Identifier: Apache-2.0
//
// Converts the options of a command for CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "orrery/commands/command.h"
#include "session.h"

namespace orrery::app {

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

  BoundCommand bound_;
  std::optional<Error> error_;
};

[[nodiscard]] inline TableCommand& table_command(CLI::App& command) {
  return dynamic_cast<TableCommand&>(command);
}

}  // namespace orrery::app

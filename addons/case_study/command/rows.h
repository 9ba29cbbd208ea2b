// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on, as a row of the command table.
#pragma once

#include <array>

#include "addons/case_study/case_study_reference.h"
#include "orrery/commands/command.h"

namespace orrery::commands {

Action add_study_reproduce(CommandOptions& command, Context& context);

namespace addons::case_study {

inline constexpr SchemaFile kSchemas[] = {{"case-study", orrery::case_study::case_study_schema}};

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "study reproduce",
     .old_names = "reproduce",
     .group = Group::study,
     .summary = "Reproduce a case study and compare it with its publication",
     .add = add_study_reproduce,
     .output = {.file = "Store the results in DIR, with a table and a plot"},
     .schemas = kSchemas},
});

}  // namespace addons::case_study
}  // namespace orrery::commands

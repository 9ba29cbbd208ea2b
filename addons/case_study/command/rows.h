// SPDX-License-Identifier: Apache-2.0
//
// The command of this add-on.
#pragma once

#include <array>

#include "addons/case_study/case_study_reference.h"
#include "apps/orrery/command.h"

namespace orrery::app {

Action add_reproduce(CLI::App& command, Session& session);

namespace addons::case_study {

inline constexpr SchemaFile kSchemas[] = {{"case-study", orrery::case_study::case_study_schema}};

inline constexpr auto kCommands = std::to_array<Command>({
    {.name = "reproduce",
     .group = Group::accuracy,
     .summary = "Run a case study again, and compare with its publication",
     .add = add_reproduce,
     .output = {.file = "Store the results in DIR, with a table and a plot"},
     .schemas = kSchemas},
});

}  // namespace addons::case_study
}  // namespace orrery::app

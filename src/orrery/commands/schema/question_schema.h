// SPDX-License-Identifier: Apache-2.0
//
// JSON Schemas of questions, from the tables of options (command_options.h).
#pragma once

#include <string>
#include <string_view>

#include "orrery/commands/context.h"

namespace orrery::commands {

/// The schema of `question` in the JSON of a command; `command` empty: of all commands.
[[nodiscard]] std::string question_schema(Context& context, std::string_view command);

}  // namespace orrery::commands

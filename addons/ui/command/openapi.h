// SPDX-License-Identifier: Apache-2.0
//
// The description of the API of `orrery ui`, from the tables of commands and options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/commands/context.h"

namespace orrery::commands {

/// The commands that a request may ask: all with --json that are not hidden.
[[nodiscard]] std::vector<std::string> asked_commands();

/// OpenAPI 3.1, as JSON. `version`: of the program.
[[nodiscard]] std::string openapi_document(Context& context, std::string_view version);

/// Whether a question (JSON) names a file to write.
[[nodiscard]] bool writes_files(std::string_view command, std::string_view question,
                                Context& context);

}  // namespace orrery::commands

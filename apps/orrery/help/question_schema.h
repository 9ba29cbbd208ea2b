// SPDX-License-Identifier: Apache-2.0
//
// JSON Schemas of questions, from the tables of options (question_options.h).
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace orrery::app {

/// What `question` may be in the JSON of a command: of all commands where `command` is empty.
[[nodiscard]] std::string question_schema(const CLI::App& table, std::string_view command);

}  // namespace orrery::app

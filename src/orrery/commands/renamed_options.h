// SPDX-License-Identifier: Apache-2.0
//
// Options with another name in earlier releases.
#pragma once

#include <string_view>

namespace orrery::commands {

/// The present name of an option ("--top") that an earlier release called `option` ("--best").
/// Empty: none. `command`: the present name of the command.
[[nodiscard]] std::string_view renamed_option(std::string_view command, std::string_view option);

}  // namespace orrery::commands

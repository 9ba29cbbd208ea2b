// SPDX-License-Identifier: Apache-2.0
//
// Modules that the program loads on demand.
#pragma once

#include <string>

namespace orrery::commands {

/// The path of a module: in <lib>/orrery of one of the two folders above the program's folder. It
/// must have the same owner as the program. Empty if there is none.
[[nodiscard]] std::string module_file(const std::string& name);

}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// Modules that the program loads when somebody asks for what they do.
#pragma once

#include <string>

namespace orrery::app {

/// Where a module of this name stands: in <lib>/orrery of one of the two folders above the
/// program's own. It has to belong to whom the program belongs to. Empty: there is none.
[[nodiscard]] std::string module_file(const std::string& name);

}  // namespace orrery::app

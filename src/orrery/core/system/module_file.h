// SPDX-License-Identifier: Apache-2.0
//
// Modules that the program loads on demand.
#pragma once

#include <string>

namespace orrery {

/// The path of a module: in <lib>/orrery of the program's folder or of one of the two folders
/// above. It must have the same owner as the program. Empty if there is none. Thread-safe.
[[nodiscard]] std::string module_file(const std::string& name);

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
//
// Folders that outputs go into.
#pragma once

#include <string>
#include <system_error>

namespace orrery {

/// Makes the folders that `path` lies in, where they are missing: whoever is asked to write
/// new/folder/w makes new/folder. The error is that of the system.
[[nodiscard]] std::error_code create_parent_folders(const std::string& path);

}  // namespace orrery

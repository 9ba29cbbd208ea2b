// SPDX-License-Identifier: Apache-2.0
//
// Creates the folders of output files.
#pragma once

#include <string>
#include <system_error>

namespace orrery {

/// Creates the missing parent folders of `path`: new/folder for new/folder/w. Returns the error of
/// the operating system.
[[nodiscard]] std::error_code create_parent_folders(const std::string& path);

}  // namespace orrery

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "orrery/core/error.h"

namespace orrery::app {

/// Whether `folder` is a data folder.
[[nodiscard]] bool holds_data(const std::filesystem::path& folder);

/// The folder of the program's data: the first of `given`, ORRERY_DATA_DIR, built-in data
/// (packages) unpacked into the user's cache, share/orrery/data in a folder above the program
/// (installed, or the build tree), data in a folder above it (the source tree). Errc:
/// config_not_found, output_failed.
[[nodiscard]] Result<std::string> data_folder(const std::string& given = {});

/// The path of a file for use in commands: relative if the file is below the current folder.
[[nodiscard]] std::string near_path(const std::filesystem::path& path);

}  // namespace orrery::app

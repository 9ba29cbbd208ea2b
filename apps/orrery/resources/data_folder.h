// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "orrery/core/error.h"

namespace orrery::app {

/// Whether `folder` is a data folder.
[[nodiscard]] bool holds_data(const std::filesystem::path& folder);

/// The folder of the program's own data. `given` wins; else ORRERY_DATA_DIR; else what is built in
/// (packages), unpacked into the user's cache; else share/orrery/data in a folder above the program
/// (installed, or the build tree); else data in a folder above it (the source tree). Errc:
/// config_not_found, output_failed.
[[nodiscard]] Result<std::string> data_folder(const std::string& given = {});

/// How to call a file from the current folder: by its relative path where it is below it.
[[nodiscard]] std::string near_path(const std::filesystem::path& path);

}  // namespace orrery::app

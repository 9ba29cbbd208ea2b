// SPDX-License-Identifier: Apache-2.0
//
// Files of the project that contain commands. Paths are relative to its root.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace orrery::cli_test {

[[nodiscard]] std::string read(const std::filesystem::path& path);

/// The transcripts in tests/cli, and in tests/cli of the add-ons that this build has.
[[nodiscard]] std::vector<std::string> transcripts();

/// The commands, and modes of commands ("kernels fit"), of add-ons that this build lacks.
[[nodiscard]] std::vector<std::string> missing_commands();

/// Pages of the documentation with commands that run, less those with commands that this build
/// lacks.
[[nodiscard]] std::vector<std::string> pages();

}  // namespace orrery::cli_test

// SPDX-License-Identifier: Apache-2.0
//
// Files of the project that contain commands. Paths are relative to its root.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace orrery::cli_test {

[[nodiscard]] std::string read(const std::filesystem::path& path);

/// The transcripts in tests/cli.
[[nodiscard]] std::vector<std::string> transcripts();

/// Pages of the documentation with commands that run.
[[nodiscard]] std::vector<std::string> pages();

}  // namespace orrery::cli_test

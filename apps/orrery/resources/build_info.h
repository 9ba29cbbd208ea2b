// SPDX-License-Identifier: Apache-2.0
//
// What this program was built from.
#pragma once

#include <string>

namespace orrery::app {

/// The commit, its first 12 digits; "unknown" without git.
extern const char* const kCommit;
/// The day of the commit, as 2026-11-29; "" when that is unknown.
extern const char* const kCommitDate;

/// "orrery 0.4.0"
[[nodiscard]] std::string version_name();
/// "g++ 12.2.0"
[[nodiscard]] std::string compiler_name();
/// The libraries that were found at build time, with versions.
[[nodiscard]] std::string library_versions();

/// What --version prints: version, commit, compiler, libraries, and which optional parts there are.
[[nodiscard]] std::string version_text();

}  // namespace orrery::app

// SPDX-License-Identifier: Apache-2.0
//
// The version of this program and how it was built.
#pragma once

#include <string>

namespace orrery::app {

/// The first 12 digits of the commit; "unknown" without git.
extern const char* const kCommit;
/// The date of the commit, as 2026-11-29; "" if unknown.
extern const char* const kCommitDate;

/// "orrery 0.18.0"
[[nodiscard]] std::string version_name();
/// "g++ 12.2.0"
[[nodiscard]] std::string compiler_name();
/// The libraries that were found at build time, with versions.
[[nodiscard]] std::string library_versions();

/// The text of --version: version, commit, compiler, libraries, and the optional parts.
[[nodiscard]] std::string version_text();

}  // namespace orrery::app

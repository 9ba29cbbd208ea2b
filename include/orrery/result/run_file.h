// SPDX-License-Identifier: Apache-2.0
//
// The run file: one SQLite database. docs/reference/run-file.md describes its tables. Equal runs
// give equal bytes.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::result {

/// The version of the tables (PRAGMA user_version). It increases with each change of a table.
/// Readers accept only this version.
inline constexpr int kRunFileVersion = 14;

/// Writes `run` completely or not at all (to a temporary file in the same folder, then renamed).
/// Errc: output_exists unless `force`, output_failed.
[[nodiscard]] Result<void> write_run(const Run& run, const std::string& path, bool force);

/// Reads an untrusted run file: read-only, with all values checked (indices, order, counts). Errc:
/// input_not_found, input_corrupt, input_unsupported (another version), limit_exceeded.
[[nodiscard]] Result<Run> read_run(const std::string& path);

/// Removes the spans that `choice` excludes and renumbers references to spans. `critical` retains
/// spans on the critical path, spans without slack, and the last member of each collective.
void filter_spans(Run& run, SpanChoice choice);

}  // namespace orrery::result

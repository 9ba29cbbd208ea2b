// SPDX-License-Identifier: Apache-2.0
//
// The run file: one SQLite database. Its tables are documented in docs/reference/run-file.md; equal
// runs give equal bytes.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/result/run.h"

namespace orrery::result {

/// The version of the tables (PRAGMA user_version): counts up with every change to one. Readers
/// take this one.
inline constexpr int kRunFileVersion = 9;

/// Writes `run` whole or not at all (a temporary beside it, then a rename). Errc: output_exists
/// unless `force`, output_failed.
[[nodiscard]] Result<void> write_run(const Run& run, const std::string& path, bool force);

/// Reads a run file, which may be hostile: read-only, everything checked (indices, order, counts).
/// Errc: input_not_found, input_corrupt, input_unsupported (another version), limit_exceeded.
[[nodiscard]] Result<Run> read_run(const std::string& path);

/// Drops the spans that `choice` does not keep and renumbers what refers to them. `critical` keeps
/// those on the path, those without slack and the last comer of each collective.
void filter_spans(Run& run, SpanChoice choice);

}  // namespace orrery::result

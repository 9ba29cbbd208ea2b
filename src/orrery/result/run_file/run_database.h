// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orrery/core/error.h"
#include "orrery/core/limits.h"
#include "orrery/result/run.h"
#include "orrery/sqlite/database.h"

namespace orrery::result {

/// Reads the run from an open database. Errors contain the name of the database.
[[nodiscard]] Result<Run> read_database(sqlite::Database& database);

/// Checks that the parts of a run are consistent, as run.h promises; single rows are checked
/// earlier. Requires that all indices are within their tables. `peers` limits the pairs of a rank
/// and the distance to a peer that it looks up. Errc: input_corrupt, limit_exceeded; `where` is a
/// table and a row.
[[nodiscard]] Result<void> check_run(const Run& run, std::uint64_t peers = limits::kRunFilePeers);

}  // namespace orrery::result

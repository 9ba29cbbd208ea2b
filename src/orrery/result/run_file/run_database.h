// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/limits.h"
#include "orrery/result/run.h"
#include "orrery/sqlite/database.h"

namespace orrery::result {

/// The run in an open database, whose name is in errors.
[[nodiscard]] Result<Run> read_database(sqlite::Database& database);

/// What a row by itself does not show: whether the parts of a run fit together, as run.h promises.
/// Every index is already within its table. `peers` bounds the pairs of a rank and the distance of
/// a peer that are looked at. Errc: input_corrupt, limit_exceeded; `where` is a table and a row.
[[nodiscard]] Result<void> check_run(const Run& run, std::uint64_t peers = limits::kRunFilePeers);

}  // namespace orrery::result

// SPDX-License-Identifier: Apache-2.0
//
// Defaults for keys that a job may omit: data-parallel degree, sequence length, batch size. While
// files and flags are read, 0 means "not given yet".
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Returns a specification without `parallel.dp`, `batch.seq` and `batch.global` (0). `import_into`
/// and `set` leave them at 0 until a file or a flag sets them.
[[nodiscard]] Spec unresolved_spec();

/// Sets dp and seq if they are still 0, and reports the chosen values (finding chosen_by_default):
/// - dp: `devices` of the cluster / (tp · cp · pp), also / ep if ep is a separate axis; 1 without
///   a cluster (`devices` 0),
/// - seq: the training length of the catalog's model with this name, else 2048.
/// `batch.global` becomes micro x `accumulated` x dp if a file states accumulated microbatches;
/// else it stays 0, which means micro x dp x `Spec::default_microbatches`. Errc:
/// config_conflict if no dp fills the cluster; `where` is its place. config_range: the batch of the
/// accumulated microbatches exceeds 2^63.
[[nodiscard]] Result<void> resolve_defaults(Spec& spec, std::int64_t devices,
                                            const std::string& where, Findings& findings);

}  // namespace orrery::workload

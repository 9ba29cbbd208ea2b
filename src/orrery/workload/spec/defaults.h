// SPDX-License-Identifier: Apache-2.0
//
// What a job may leave open: how often it is cut over data, how long its sequences are, how much a
// step trains on. While files and flags are read, what nobody has given yet stands at 0.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// A specification whose `parallel.dp` and `batch.seq` are open (0), as `batch.global` always is.
/// `import_into` and `set` leave them so until a file or a flag gives them.
[[nodiscard]] Spec open_spec();

/// Settles what is still open, and says what was chosen (chosen_by_default):
/// - dp: what a cluster of `devices` leaves beside tp, cp, pp (and ep, as an axis of its own); 1
///   without a cluster (`devices` 0),
/// - seq: what the catalogue says that a model of this name was trained on, else 2048,
/// - global: micro x dp x `Spec::usual_microbatches`.
/// Errc: config_conflict when no dp fills the cluster; `where` names it.
[[nodiscard]] Result<void> resolve_defaults(Spec& spec, std::int64_t devices,
                                            const std::string& where, Findings& findings);

}  // namespace orrery::workload

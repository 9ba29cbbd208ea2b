// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/analysis/digest.h"
#include "orrery/report/json.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// "breakdown", "throughput", "memory" and "critical_path" into the object that is being written
/// (docs/reference/run.md). What is not known is null.
void write_digest(JsonWriter& json, const analysis::Digest& digest);

/// "remote_memory": levels with what they carried over time, bin by bin.
void write_remote_memory(JsonWriter& json, const result::Run& run);

}  // namespace orrery::report

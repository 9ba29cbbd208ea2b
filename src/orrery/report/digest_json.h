// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "orrery/analysis/digest.h"
#include "orrery/core/footing.h"
#include "orrery/report/json.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// "breakdown", "throughput", "memory" and "critical_path" into the object that is being written
/// (docs/reference/run.md). What is not known is null.
void write_digest(JsonWriter& json, const analysis::Digest& digest);

/// What stands on what, as an array: `basis` and `time_ps`, those that there are.
void write_footings(JsonWriter& json, std::string_view name, const Footings& footings);

/// "remote_memory": levels with what they carried over time, bin by bin.
void write_remote_memory(JsonWriter& json, const result::Run& run);

}  // namespace orrery::report

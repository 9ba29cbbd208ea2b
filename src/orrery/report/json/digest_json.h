// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/core/time_provenance.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// "breakdown", "throughput", "memory" and "critical_path" into the object that is being written
/// (docs/reference/run.md). What is not known is null.
void write_digest(JsonWriter& json, const analysis::Digest& digest);

/// What stands on what, as an array: `basis` and `time_ps`, those that there are.
void write_time_by_provenance(JsonWriter& json, std::string_view name,
                              const TimeByProvenance& time_by_provenance);

/// "remote_memory": levels with what they carried over time, bin by bin.
void write_remote_memory(JsonWriter& json, const result::Run& run);

}  // namespace orrery::report

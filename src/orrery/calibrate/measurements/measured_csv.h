// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives as CSV.
#pragma once

#include <string>
#include <string_view>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// Whether the line is a header for read_measured_csv(): it has columns for size and time.
[[nodiscard]] bool is_csv_header(std::string_view line);

/// Reads rows under a header with columns in any order:
///
///   gpu,nccl,collective,dtype,gpus,nodes,bytes,latency_us
///   H100-SXM5,2.27.3,all_reduce,half,8,1,1048576,31.2
///
/// Accepted names: gpu, device; nccl, rccl, oneccl (the library, with its version in the cells) or
/// library, version; collective; dtype, type; gpus, ranks, n_ranks; nodes; bytes, size; latency_us,
/// time_us, us; algorithm, algo, protocol, proto (forced choices of the library). Bytes and time
/// are required, and the collective unless an option specifies it. Other columns are ignored
/// (key_ignored). Bytes are those of the complete buffer, as nccl-tests' size. Empty lines and
/// lines that begin with # are skipped. Errors contain the line. Errc: input_corrupt, input_range,
/// input_missing_attr, usage, limit_exceeded.
[[nodiscard]] Result<void> read_measured_csv(trace::ByteSource& source, const std::string& where,
                                             MeasurementSink& into);

}  // namespace orrery::calibrate

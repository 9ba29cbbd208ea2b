// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives as CSV.
#pragma once

#include <string>
#include <string_view>

#include "orrery/calibrate/measurements/benchmark.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// The line is a header that read_measured_csv takes: it has a size and a time.
[[nodiscard]] bool is_csv_header(std::string_view line);

/// Rows under a header with columns in any order:
///
///   gpu,nccl,collective,dtype,gpus,nodes,bytes,latency_us
///   H100-SXM5,2.27.3,all_reduce,half,8,1,1048576,31.2
///
/// Names that do: gpu, device; nccl, rccl, oneccl (the library, with its version as cells) or
/// library, version; collective; dtype, type; gpus, ranks, n_ranks; nodes; bytes, size; latency_us,
/// time_us, us; algorithm, algo, protocol, proto (what the library was made to run). Bytes and time
/// must be there, and the collective if no option says it; other columns are passed over
/// (key_ignored). Bytes are those of the whole buffer, as nccl-tests' size. Lines that are empty or
/// begin with # are passed over. Errors name the line. Errc: input_corrupt, input_range,
/// input_missing_attr, usage, limit_exceeded.
[[nodiscard]] Result<void> read_measured_csv(trace::ByteSource& source, const std::string& where,
                                             MeasurementSink& into);

}  // namespace orrery::calibrate

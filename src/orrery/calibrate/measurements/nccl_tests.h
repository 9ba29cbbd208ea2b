// SPDX-License-Identifier: Apache-2.0
//
// What nccl-tests and rccl-tests write.
//
// Source: nccl-tests, src/util.cu (headers, rows, devices, JSON) and doc/PERFORMANCE.md.
#pragma once

#include <string>
#include <string_view>

#include "orrery/calibrate/measurements/benchmark.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// What they print, one run or several behind each other, with other programs' lines in between and
/// the marks of mpirun and srun in front of lines.
///
/// Columns are found by the header, which has been different over the years. The collective is what
/// "# Collective test starting:" says, else the one program whose name ends "_perf" above the
/// run, else it is inferred (finish_benchmark). With `cputime` in the header the times are the
/// host's: the collective's are worked out from the bandwidth. Lines that begin like rows and are
/// none are counted (corrupt_record_dropped).
[[nodiscard]] Result<void> read_nccl_tests(trace::ByteSource& source, const std::string& where,
                                           MeasurementSink& into);

/// Their JSON (-J). Processes with several devices tell of the first only; `nthreads` and `ngpus`
/// say how many there are.
[[nodiscard]] Result<void> read_nccl_tests_json(trace::ByteSource& source, const std::string& where,
                                                MeasurementSink& into);

/// 22907 → "2.29.7", 2804 → "2.8.4"; empty for what is none of NCCL's versions.
[[nodiscard]] std::string nccl_version_text(std::string_view number);

}  // namespace orrery::calibrate

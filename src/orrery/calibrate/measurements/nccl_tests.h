// SPDX-License-Identifier: Apache-2.0
//
// Readers for the output of nccl-tests and rccl-tests.
//
// Source: nccl-tests, src/util.cu (headers, rows, devices, JSON) and doc/PERFORMANCE.md.
#pragma once

#include <string>
#include <string_view>

#include "orrery/calibrate/measurements/benchmark_run.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::calibrate {

/// Reads printed output: one or several runs, with lines of other programs in between, and with the
/// prefixes of mpirun and srun.
///
/// The header determines the columns, because they differ between versions. The collective is that
/// of "# Collective test starting:", otherwise the only program above the run whose name ends in
/// "_perf", otherwise it is inferred (finish_benchmark). With `cputime` in the header, the printed
/// times are those of the host; the times of the collective are derived from the bandwidth. Lines
/// that begin like rows but are not valid rows are counted (corrupt_record_dropped).
[[nodiscard]] Result<void> read_nccl_tests(trace::ByteSource& source, const std::string& where,
                                           MeasurementSink& into);

/// Reads JSON output (-J). A process with several devices lists only the first one; `nthreads` and
/// `ngpus` give their number.
[[nodiscard]] Result<void> read_nccl_tests_json(trace::ByteSource& source, const std::string& where,
                                                MeasurementSink& into);

/// Formats a version number of NCCL: 22907 → "2.29.7", 2804 → "2.8.4". Empty: not a version of
/// NCCL.
[[nodiscard]] std::string nccl_version_text(std::string_view number);

}  // namespace orrery::calibrate

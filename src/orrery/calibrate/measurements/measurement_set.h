// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives, independent of the file format.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::calibrate {

/// What measurements that differ only in size have in common.
struct MeasuredSeries {
  std::string device, library, version;  ///< as in the file, printable; may be empty
  /// "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
  /// "send_recv".
  std::string collective;
  std::string dtype;                  ///< as in the file, such as "float"; may be empty
  std::int32_t nodes = 0, ranks = 0;  ///< 0: not stated
  /// Forced by NCCL_ALGO and NCCL_PROTO, in lower case; empty: the library's own choice.
  std::string algorithm, protocol;
  bool in_place = false;

  [[nodiscard]] bool is_forced() const { return !algorithm.empty() || !protocol.empty(); }
  friend auto operator<=>(const MeasuredSeries&, const MeasuredSeries&) = default;
};

/// One measurement of one collective.
struct MeasuredCollective : MeasuredSeries {
  std::int64_t bytes = 0;  ///< the larger of one rank's input and output, as nccl-tests' size
  double time_us = 0;      ///< above 0 and below 1e9
  std::string tool;        ///< tool that measured: "nccl-tests 2.18.0"; may be empty
  std::string date;        ///< of the measurement, as "2026-01-02"; empty: not stated
};

/// All measurements of the files that were read.
struct MeasurementSet {
  std::string where;               ///< name of the input, for findings and errors
  std::vector<std::string> files;  ///< files with measurements, in the order of reading
  std::vector<MeasuredCollective> rows;
};

/// Values for files that lack them.
struct ReadOptions {
  std::string collective;  ///< one of MeasuredCollective::collective, or empty
  std::string device;
  std::int32_t ranks = 0, nodes = 0;
};

/// Reads measurements from files, from all files of a folder, or from files that match a shell
/// pattern. Files may be plain, gzip, zstd, or in a tar archive. The content determines the format:
///
/// - output of nccl-tests and rccl-tests, also mixed with output of other programs (nccl_tests.h),
///   and their JSON;
/// - logs of NCCL's Inspector, which are combined across files: pass those of all ranks together
///   (inspector.h);
/// - CSV with a header (measured_csv.h).
///
/// Errc: input_not_found, input_read, input_empty (no measurement in it), input_unsupported (none
/// of these formats), input_corrupt, input_range, input_mismatch (several devices in one run),
/// input_missing_attr (the collective is unknown), config_unit (times, sizes and
/// bandwidths contradict each other), usage (options), limit_exceeded. Findings: measured_wrong,
/// collective_inferred, time_of_host, measurement_left_out, cold_measurement_dropped,
/// waiting_included, corrupt_record_dropped, truncated_tail_dropped, json_repaired, key_ignored,
/// file_skipped.
[[nodiscard]] Result<MeasurementSet> read_measurements(const std::vector<std::string>& paths,
                                                       Findings& findings,
                                                       const ReadOptions& options = {});

/// Like read_measurements(), from text. `where` is its name in findings and errors.
[[nodiscard]] Result<MeasurementSet> parse_measurements(std::string_view text,
                                                        const std::string& where,
                                                        Findings& findings,
                                                        const ReadOptions& options = {});

}  // namespace orrery::calibrate

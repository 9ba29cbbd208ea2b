// SPDX-License-Identifier: Apache-2.0
//
// Collectives that somebody measured, whatever wrote them down.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::calibrate {

/// One measurement of one collective.
struct MeasuredCollective {
  /// "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce",
  /// "send_recv".
  std::string collective;
  std::int64_t bytes = 0;  ///< the larger of what one rank gives and gets, as nccl-tests' size
  double time_us = 0;      ///< above 0 and below 1e9
  std::int32_t ranks = 0;  ///< 0: the file does not say
  std::int32_t nodes = 0;  ///< 0: the file does not say
  bool in_place = false;
  std::string dtype;  ///< as the file says, such as "float" or "half"; may be empty
  std::string device, library, version;  ///< as the file says, printable; may be empty
  /// What the library was made to run (NCCL_ALGO, NCCL_PROTO), in lower case; empty: its own
  /// choice.
  std::string algorithm, protocol;
  std::string tool;  ///< that measured: "nccl-tests 2.18.0"; may be empty
  std::string date;  ///< of the measurement, as "2026-01-02"; empty: the file does not say
};

/// All that was read.
struct MeasurementSet {
  std::string where;               ///< what was read, for findings and errors
  std::vector<std::string> files;  ///< those that hold measurements, in the order they were read
  std::vector<MeasuredCollective> rows;
};

/// What files may not say. Used only where they do not.
struct ReadOptions {
  std::string collective;  ///< one of MeasuredCollective::collective, or empty
  std::string device;
  std::int32_t ranks = 0, nodes = 0;
};

/// Reads measurements from files, from all files of a folder, or from those that a shell pattern
/// matches; plain, gzip, zstd, or in a tar archive. Content decides what each is:
///
/// - what nccl-tests and rccl-tests print, with whatever other programs print in between
///   (nccl_tests.h), and their JSON;
/// - logs of NCCL's Inspector, which are joined across files: give those of all ranks together
///   (inspector.h);
/// - CSV with a header (measured_csv.h).
///
/// Errc: input_not_found, input_read, input_empty (no measurement in it), input_unsupported (none
/// of these formats), input_corrupt, input_range, input_mismatch (several devices in one run),
/// input_missing_attr (nothing tells which collective it is), config_unit (times, sizes and
/// bandwidths contradict each other), usage (options), limit_exceeded. Findings: measured_wrong,
/// collective_inferred, time_of_host, measurement_left_out, cold_measurement_dropped,
/// waiting_included, corrupt_record_dropped, truncated_tail_dropped, json_repaired, key_ignored,
/// file_skipped.
[[nodiscard]] Result<MeasurementSet> read_measurements(const std::vector<std::string>& paths,
                                                       Findings& findings,
                                                       const ReadOptions& options = {});

/// The same from text; `where` names it.
[[nodiscard]] Result<MeasurementSet> parse_measurements(std::string_view text,
                                                        const std::string& where,
                                                        Findings& findings,
                                                        const ReadOptions& options = {});

}  // namespace orrery::calibrate

// SPDX-License-Identifier: Apache-2.0
//
// One run of a benchmark, independent of the file format: determines its collective, checks that
// its numbers are consistent, and adds its measurements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/calibrate/measurements/measurement_set.h"
#include "orrery/calibrate/measurements/nccl_log.h"

namespace orrery::calibrate {

/// The output of readers: rows and findings.
struct MeasurementSink {
  std::vector<MeasuredCollective>& rows;
  Findings& findings;
  const ReadOptions& options;
  NcclLog log{};  ///< all files: for the error of a log without measurements
};

/// Adds a row. The options supply a missing device, number of ranks and number of nodes. Errc:
/// limit_exceeded.
[[nodiscard]] Result<void> add_row(MeasuredCollective row, const std::string& place,
                                   MeasurementSink& into);

/// Converts a name from a file to the form of rows: trimmed, printable, at most 120 bytes.
[[nodiscard]] std::string name_text(std::string_view text);

/// Converts a value of NCCL_ALGO or NCCL_PROTO to the form of rows: lower case, without underscores
/// (NCCL accepts both spellings).
[[nodiscard]] std::string setting_text(std::string_view text);

/// A printed number with its rounding error.
struct PrintedNumber {
  double value = 0;
  double rounding_error = 0;  ///< half a unit of the last digit

  [[nodiscard]] double lower() const { return std::max(value - rounding_error, 0.0); }
  [[nodiscard]] double upper() const { return value + rounding_error; }
};

/// "12.34" is 12.34 ± 0.005. Empty: the text is negative, infinite or not a number.
[[nodiscard]] std::optional<PrintedNumber> parse_printed(std::string_view text);

/// Upper limit of measured times, in us: 1000 s.
inline constexpr double kMaxTimeUs = 1e9;

/// The devices of a run. If a run has several communicators, only the first one counts.
class RunDevices {
 public:
  /// Adds a line of the run's list of devices. A repeated rank counts once.
  void add(std::int64_t group, std::int64_t rank, std::string_view host, std::string_view device);
  [[nodiscard]] std::int32_t ranks() const;  ///< 0: not stated
  [[nodiscard]] std::int32_t nodes() const;  ///< 0: not stated
  [[nodiscard]] const std::string& device() const { return device_; }
  /// The first device name that differs from device(), or empty.
  [[nodiscard]] const std::string& conflicting_device() const { return conflicting_device_; }
  [[nodiscard]] const std::set<std::int64_t>& rank_numbers() const { return ranks_; }

 private:
  std::int64_t group_ = 0;
  std::set<std::int64_t> ranks_;
  std::set<std::string, std::less<>> hosts_;
  std::string device_, conflicting_device_;
};

/// The values of NCCL_ALGO and NCCL_PROTO; empty: not set.
struct ForcedSettings {
  std::string algorithm, protocol;

  /// Reads assignments anywhere in a text: "NCCL_ALGO=Ring", "unset NCCL_PROTO", "NCCL_ALGO set by
  /// environment to Ring".
  void parse(std::string_view text);
};

/// The date at the begin of a text ("2026-01-02 03:04:05"), or empty.
[[nodiscard]] std::string leading_date(std::string_view text);
/// The date in UTC of a time in microseconds since 1970. Empty outside the years 2000 to 2099.
[[nodiscard]] std::string date_of(std::int64_t microseconds);

/// One measured time of a run. Values that the file lacks are not checked.
struct BenchmarkRow {
  std::string place;
  std::int64_t bytes = 0;
  PrintedNumber time_us;
  std::optional<PrintedNumber> algbw, busbw;  ///< GB/s, of 1e9 bytes
  bool in_place = false;
  bool host_time = false;  ///< the time is the launch time on the host; the bandwidths are not
  std::string dtype;
  bool reduces = false;
  std::optional<bool> rooted;  ///< empty: not stated
};

/// The content of a run: its rows and their common properties.
struct BenchmarkRun {
  std::string where;            ///< for errors
  std::string collective_name;  ///< as in the file, or empty
  std::int32_t ranks = 0;       ///< 0: not stated
  std::int32_t nodes = 0;       ///< if `devices` does not state them; 0: not stated
  RunDevices devices;
  std::string library, version, tool, date;
  ForcedSettings forced;
  std::vector<BenchmarkRow> rows;
};

/// Adds the run's rows to `into`, except rows of no bytes or without time. Checks the bandwidth of
/// every row against its size and time, and its bus bandwidth against the formula of the collective
/// for the number of ranks, within 2 % and rounding. If nothing names the collective, infers it
/// from these bandwidths, its reduction and its root. Errc: config_unit, input_mismatch,
/// input_missing_attr, limit_exceeded.
[[nodiscard]] Result<void> finish_benchmark(BenchmarkRun& run, MeasurementSink& into);

/// Checks that bandwidth times time is the size, within 2 % and the rounding of printed numbers.
/// Errc: config_unit.
[[nodiscard]] Result<void> check_bandwidth(const std::string& place, std::int64_t bytes,
                                           PrintedNumber time_us, PrintedNumber algbw);

}  // namespace orrery::calibrate

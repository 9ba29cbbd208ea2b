// SPDX-License-Identifier: Apache-2.0
//
// One run of a benchmark, however it was written down: which collective it is, whether its numbers
// agree with each other, and the measurements it comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/measured.h"
#include "orrery/calibrate/measurements/measured_collectives.h"

namespace orrery::calibrate {

/// Where measurements go.
struct MeasurementSink {
  std::vector<MeasuredCollective>& rows;
  Findings& findings;
  const ReadOptions& options;
};

/// Adds a row, with what it lacks from the options. Errc: limit_exceeded.
[[nodiscard]] Result<void> add_row(MeasuredCollective row, const std::string& place,
                                   MeasurementSink& into);

/// A name from a file as rows hold it: trimmed, printable, not too long.
[[nodiscard]] std::string name_text(std::string_view text);

/// What NCCL_ALGO or NCCL_PROTO is set to, as rows hold it: a name in lower case and without
/// underscores, as NCCL takes either.
[[nodiscard]] std::string setting_text(std::string_view text);

/// A number as it was printed.
struct PrintedNumber {
  double value = 0;
  double half = 0;  ///< half of its last digit: what rounding may have changed
};

/// "12.34" is 12.34 ± 0.005. Empty for what is negative, infinite or no number.
[[nodiscard]] std::optional<PrintedNumber> parse_printed(std::string_view text);

/// What every measurement is below, in us: a quarter of an hour.
inline constexpr double kLongestCollective = 1e9;

/// Which devices a run used. Of runs with several communicators, the first one's.
class RunDevices {
 public:
  /// A line of the run's list; a rank that was there before counts once.
  void add(std::int64_t group, std::int64_t rank, std::string_view host, std::string_view device);
  [[nodiscard]] std::int32_t ranks() const;  ///< 0: none told
  [[nodiscard]] std::int32_t nodes() const;  ///< 0: none told
  [[nodiscard]] const std::string& device() const { return device_; }
  /// A device of another name, or empty.
  [[nodiscard]] const std::string& another() const { return another_; }
  [[nodiscard]] const std::set<std::int64_t>& numbers() const { return ranks_; }

 private:
  std::int64_t group_ = 0;
  std::set<std::int64_t> ranks_;
  std::set<std::string, std::less<>> hosts_;
  std::string device_, another_;
};

/// What NCCL_ALGO and NCCL_PROTO say; empty: nothing.
struct ForcedSettings {
  std::string algorithm, protocol;

  /// Takes what a text assigns ("NCCL_ALGO=Ring", "unset NCCL_PROTO", "NCCL_ALGO set by environment
  /// to Ring"), wherever in it that stands.
  void take(std::string_view text);
};

/// The date that a text begins with ("2026-01-02 03:04:05"), or nothing.
[[nodiscard]] std::string leading_date(std::string_view text);
/// The date, in UTC, so many microseconds after 1970; nothing where that is none of this or the
/// next century.
[[nodiscard]] std::string date_of(std::int64_t microseconds);

/// One time of a run. What was not printed is not compared.
struct BenchmarkRow {
  std::string place;
  std::int64_t bytes = 0;
  PrintedNumber time_us;
  std::optional<PrintedNumber> algbw, busbw;  ///< GB/s, of 1e9 bytes
  bool in_place = false;
  bool host_time = false;  ///< the time is what the host took to launch it; the bandwidths are not
  std::string dtype;
  bool reduces = false;
  std::optional<bool> rooted;  ///< empty: nothing says it
};

/// A run as it was written: rows with what holds for all of them.
struct BenchmarkRun {
  std::string where;            ///< for errors
  std::string collective_name;  ///< what the run calls its collective, or empty
  std::int32_t ranks = 0;       ///< 0: not said
  RunDevices devices;
  std::string library, version, tool, date;
  ForcedSettings forced;
  std::vector<BenchmarkRow> rows;
};

/// Adds the run's rows to `into`, less those of no bytes or without time. Every row's bandwidth is
/// compared with its size and time, and its bus bandwidth with what the collective's is among so
/// many ranks, within 2 % and what printing rounded. A collective that nothing names is told by
/// these, its reduction and its root. Errc: config_unit, input_mismatch, input_missing_attr,
/// limit_exceeded.
[[nodiscard]] Result<void> finish_benchmark(BenchmarkRun& run, MeasurementSink& into);

/// Errc: config_unit where bandwidth times time is not the size, within 2 % and what printing
/// rounded.
[[nodiscard]] Result<void> check_bandwidth(const std::string& place, std::int64_t bytes,
                                           PrintedNumber time_us, PrintedNumber algbw);

}  // namespace orrery::calibrate

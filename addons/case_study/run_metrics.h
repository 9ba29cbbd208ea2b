// SPDX-License-Identifier: Apache-2.0
//
// The stored metrics of a run, declared in one table, each with its unit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/points/provenance.h"

namespace orrery::case_study {

enum class Unit : std::uint8_t { time, share, ratio, bandwidth, bytes, flops };

enum class RunMetric : std::uint8_t {
  time,
  compute,
  communication,
  exposed,
  memory,
  idle,
  sent,
  ideal,
  utilization,
  bus_bandwidth,
  peak_memory,
  flops,
  bandwidth_0,
  bandwidth_1,
  bandwidth_2,
  bandwidth_3,
  gain,
  gap,
  exposed_tensor,
  exposed_data,
  exposed_other,
  weights,
  gradients,
  optimizer,
  activations,
  needed,
  capacity,
  remote_share,
  device_time
};
inline constexpr std::size_t kMetrics = 29;

struct RunMetricInfo {
  RunMetric metric;
  std::string_view name;       ///< in files
  std::string_view json_name;  ///< in the output of commands, with its unit
  Unit unit;
  std::string_view title, about;
};
/// All metrics in order.
[[nodiscard]] std::span<const RunMetricInfo> metrics();
[[nodiscard]] const RunMetricInfo& info(RunMetric metric);
[[nodiscard]] std::optional<RunMetric> metric_named(std::string_view name);

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Times are integer picoseconds; other values are in base units. kNone if the run lacks the
/// metric.
struct MetricValues {
  std::array<double, kMetrics> of;
  std::vector<std::string> findings;  ///< anything unexpected or assumed, one sentence each
  explore::Provenance provenance{};   ///< what the values were computed from

  MetricValues() { of.fill(kNone); }
  [[nodiscard]] double operator[](RunMetric metric) const {
    return of[static_cast<std::size_t>(metric)];
  }
  double& operator[](RunMetric metric) { return of[static_cast<std::size_t>(metric)]; }
};

/// "35.01 ms", "97.6 %", "1.936": text for users. With `unit` ("us", "GB/s" …), the value is in
/// that unit, otherwise as in core/text/units.h. `decimals` applies to values with a decimal point.
[[nodiscard]] std::string format(double value, Unit unit, std::string_view scale,
                                 std::int64_t decimals);
/// The factor of a unit's name, in base units: {"ns", 1e3} for times.
[[nodiscard]] std::optional<double> scale_of(Unit unit, std::string_view word);

/// "35008.129 us", "97.59 %", "1.72", "741.34 GB/s" → base units. Errc: as core/text/units.h.
[[nodiscard]] Result<double> parse(std::string_view text, Unit unit, const std::string& where);

}  // namespace orrery::case_study

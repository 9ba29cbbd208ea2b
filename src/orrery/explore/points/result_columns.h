// SPDX-License-Identifier: Apache-2.0
//
// Results of a point of a space: computed results (stored), and figures derived from them, prices
// and power (computed on demand).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/metric_table.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/core/memory_need.h"
#include "orrery/explore/points/provenance.h"
#include "orrery/explore/points/step_parts.h"

namespace orrery::explore {

enum class State : std::uint8_t {
  fits,              ///< and `step` is its step time
  illegal,           ///< breaks a rule
  too_large,         ///< its memory, as estimated, exceeds that of a device; see `fit`
  needs_simulation,  ///< needs a simulation, which was not requested
  failed             ///< cannot be read or simulated; not stored
};

/// Of one point, by an estimate or a simulation.
struct PointPrediction {
  State state = State::needs_simulation;
  std::string why;               ///< the broken rule, or the reason for a missing estimate
  std::optional<Error> error{};  ///< of what failed
  std::string plan;              ///< "tp 8, pp 4, dp 8, micro 1"
  std::int64_t step = 0;         ///< picoseconds
  MemoryNeed memory{};           ///< of the fullest device
  Bytes capacity{};              ///< that a process can allocate on a device; 0: unknown
  std::int64_t devices = 0, samples = 0, tokens = 0;
  double model_flops = 0;  ///< of a step
  /// The same by the format of products, with their peaks; empty if one of them is unknown.
  std::vector<analysis::FormatWork> work_by_format{};
  double peak = 0;          ///< of a device, FLOP/s
  double device_power = 0;  ///< at most, W; 0: unknown
  /// Of the step, on average over all devices; known only from simulations.
  std::optional<PartShares> shares;
  /// 80 % prediction interval of `step`; known only from simulations.
  std::optional<analysis::StepInterval> interval{};
  std::string no_interval_reason{};  ///< why a simulated step has none; empty: all is recorded
  /// What it was computed from; null: of what failed.
  std::shared_ptr<const Provenance> provenance{};

  /// The verdict on memory, as `orrery run` and `orrery memory` give it; empty: not known.
  [[nodiscard]] std::optional<MemoryFit> fit() const {
    if (capacity == Bytes{} || memory.total == Bytes{}) return std::nullopt;
    return memory_fit(memory, capacity);
  }
};

enum class Figure : std::uint8_t {
  step,
  step_low,
  step_high,
  rate,
  mfu,
  format_mfu,
  format_hfu,
  memory,
  spare_memory,
  devices,
  power,
  energy,
  work,
  cost,
  unit_cost
};
inline constexpr std::size_t kFigures = 15;

struct FigureDescription {
  Figure figure;
  std::string_view name;        ///< in files
  std::string_view metric;      ///< analysis::MetricInfo::name: its unit, meaning and direction
  std::string_view json_name;   ///< in the output of commands, with its unit
  double json_scale;            ///< from the metric's unit to that of `json_name`
  std::string_view title;       ///< heading of a column
  bool only_simulated = false;  ///< estimates do not have it
};
[[nodiscard]] std::span<const FigureDescription> figures();
[[nodiscard]] const FigureDescription& info(Figure figure);
[[nodiscard]] const analysis::MetricInfo& metric_of(Figure figure);
[[nodiscard]] std::optional<Figure> figure_named(std::string_view name);

/// Prices and power.
struct Rates {
  double device = 1;                   ///< of a device for an hour
  double energy = 0;                   ///< of a kWh
  std::optional<double> device_power;  ///< W; else the catalog's
  double other_power = 0;              ///< hosts and network per device, W
  double overhead = 1;                 ///< total power over power of devices and hosts
};

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// In base units: seconds, bytes, W, J. kUnknown where something of it is.
struct Figures {
  std::array<double, kFigures> of{};
  [[nodiscard]] double operator[](Figure figure) const {
    return of[static_cast<std::size_t>(figure)];
  }
  double& operator[](Figure figure) { return of[static_cast<std::size_t>(figure)]; }
};

/// Of what fits. Energy is power times step: devices are taken to draw their most all the time.
[[nodiscard]] Figures figures_of(const PointPrediction& predicted, const Rates& rates);

/// "3.194 s", "49.6 %", "58.9 GB", "179 kW": for people.
[[nodiscard]] std::string format(Figure figure, double value);

}  // namespace orrery::explore

namespace orrery::config {

template <>
struct EnumNames<explore::State> {
  static constexpr std::array<EnumName<explore::State>, 5> names{
      {{"fits", explore::State::fits},
       {"illegal", explore::State::illegal},
       {"too_large", explore::State::too_large},
       {"needs_simulation", explore::State::needs_simulation},
       {"failed", explore::State::failed}}};
};

}  // namespace orrery::config

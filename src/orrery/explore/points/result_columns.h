// SPDX-License-Identifier: Apache-2.0
//
// What is known of a point of a space: what was found out (kept), and the figures that follow from
// it, prices and power (worked out whenever they are asked for).
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

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/explore/points/provenance.h"
#include "orrery/explore/points/step_parts.h"

namespace orrery::explore {

enum class State : std::uint8_t {
  fits,              ///< and `step` says how long it takes
  illegal,           ///< breaks a rule
  too_large,         ///< for the devices' memory
  needs_simulation,  ///< only a simulation tells, and none was asked for
  failed             ///< cannot be read or simulated; not kept
};

/// Of one point, by an estimate or a simulation.
struct PointPrediction {
  State state = State::needs_simulation;
  std::string why;               ///< the rule that it breaks; of what is not told, the reason
  std::optional<Error> error{};  ///< of what failed
  std::string plan;              ///< "tp 8, pp 4, dp 8, micro 1"
  std::int64_t step = 0;         ///< picoseconds
  std::int64_t memory = 0;       ///< what the fullest device needs, bytes
  std::int64_t devices = 0, samples = 0, tokens = 0;
  double model_flops = 0;   ///< of a step
  double peak = 0;          ///< of a device, FLOP/s
  double device_power = 0;  ///< at most, W; 0: unknown
  /// Of the step, on average over all devices; only simulations tell.
  std::optional<PartShares> shares;
  /// What it was computed from; null: of what failed.
  std::shared_ptr<const Provenance> provenance{};
};

enum class Figure : std::uint8_t {
  step,
  rate,
  mfu,
  memory,
  devices,
  power,
  energy,
  work,
  cost,
  unit_cost
};
inline constexpr std::size_t kFigures = 10;

enum class Better : std::uint8_t { less, more };

struct FigureDescription {
  Figure figure;
  std::string_view name;       ///< in files
  std::string_view json_name;  ///< in the output of commands, with its unit
  double json_scale;           ///< … from base units to that one
  Better better;
  std::string_view title, about;
};
[[nodiscard]] std::span<const FigureDescription> figures();
[[nodiscard]] const FigureDescription& info(Figure figure);
[[nodiscard]] std::optional<Figure> figure_named(std::string_view name);

/// What somebody pays and what devices draw.
struct Rates {
  double device = 1;                   ///< of a device for an hour
  double energy = 0;                   ///< of a kWh
  std::optional<double> device_power;  ///< W; else the catalogue's
  double other_power = 0;              ///< beside each device: hosts, network, W
  double overhead = 1;                 ///< power drawn in all, by what devices and hosts draw
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
       {"not_told", explore::State::needs_simulation},
       {"failed", explore::State::failed}}};
};

}  // namespace orrery::config

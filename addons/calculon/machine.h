// SPDX-License-Identifier: Apache-2.0
//
// Calculon's system: engines, memories and networks whose efficiency depends on sizes alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addons/calculon/execution.h"
#include "orrery/core/error.h"

namespace orrery::estimate::calculon {

/// Which part of the peak work of a size gets: that of the first step that is not larger.
struct Curve {
  struct EfficiencyStep {
    double from, efficiency;
  };
  std::vector<EfficiencyStep> steps;  ///< falling; the last begins at 0

  [[nodiscard]] double at(double size) const {
    for (const EfficiencyStep& step : steps)
      if (size >= step.from) return step.efficiency;
    return steps.back().efficiency;
  }
};

/// What work of a size takes, in seconds: flop over peak, bytes over bandwidth.
struct Rate {
  double peak = 0;  ///< per second
  Curve efficiency;

  [[nodiscard]] double time(double size) const {
    return size == 0 ? 0 : size / (peak * efficiency.at(size));
  }
};

struct Memory {
  double capacity = 0;  ///< bytes
  Rate rate;
};

enum class Operation : std::uint8_t { p2p, reduce_scatter, all_gather, all_reduce };

struct Network {
  struct Cost {
    double scalar = 1, offset = 0;
  };
  double bytes_per_second = 0, latency = 0;  ///< with efficiency; seconds
  std::int64_t size = 0;                     ///< devices
  bool must_be_filled = false;
  double processor_usage = 0;  ///< of the device, while it is busy
  std::array<Cost, 4> costs;   ///< by Operation

  /// latency + bytes x scalar x (1 + offset / peers) / bandwidth (Calculon, calculon/network.py).
  [[nodiscard]] double time(Operation operation, double bytes, double peers) const {
    const Cost& cost = costs[static_cast<std::size_t>(operation)];
    return latency + bytes * cost.scalar * (1 + cost.offset / peers) / bytes_per_second;
  }
};

struct Machine {
  std::array<std::optional<Rate>, kDataTypes> matrix, vector;  ///< by DataType
  Memory near, far;
  bool roofline = false;  ///< arithmetic and memory at a time, not one after another
  std::vector<Network> networks;

  [[nodiscard]] double combined(double arithmetic, double memory) const {
    return roofline ? (arithmetic > memory ? arithmetic : memory) : arithmetic + memory;
  }
};

/// Calculon's JSON (or the same in YAML); `where` names it in errors. Errc: config_*.
[[nodiscard]] Result<Model> parse_model(std::string_view text, const std::string& where);
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, const std::string& where);
[[nodiscard]] Result<Machine> parse_machine(std::string_view text, const std::string& where);
/// As Calculon writes executions.
[[nodiscard]] std::string to_json(const Plan& plan);

}  // namespace orrery::estimate::calculon

// SPDX-License-Identifier: Apache-2.0
//
// Calculon's system: engines, memories and networks. Their efficiency depends only on sizes.
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

/// Efficiency by size: that of the first step with `from` <= size.
struct Curve {
  struct EfficiencyStep {
    double from, efficiency;
  };
  std::vector<EfficiencyStep> steps;  ///< descending; the last starts at 0

  [[nodiscard]] double at(double size) const {
    for (const EfficiencyStep& step : steps)
      if (size >= step.from) return step.efficiency;
    return steps.back().efficiency;
  }
};

/// The time for work of a given size, in seconds: operations / peak, or bytes / bandwidth.
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
  /// The bandwidth includes the efficiency. Latency in seconds.
  double bytes_per_second = 0, latency = 0;
  std::int64_t size = 0;  ///< devices
  bool must_be_filled = false;
  /// Share of the device's processor that is busy during communication.
  double processor_usage = 0;
  std::array<Cost, 4> costs;  ///< by Operation

  /// latency + bytes x scalar x (1 + offset / peers) / bandwidth (Calculon, calculon/network.py).
  [[nodiscard]] double time(Operation operation, double bytes, double peers) const {
    const Cost& cost = costs[static_cast<std::size_t>(operation)];
    return latency + bytes * cost.scalar * (1 + cost.offset / peers) / bytes_per_second;
  }
};

struct Machine {
  std::array<std::optional<Rate>, kDataTypes> matrix, vector;  ///< by DataType
  Memory tier1, tier2;                                         ///< near and far
  bool roofline = false;  ///< computation and memory traffic overlap; false: one after the other
  std::vector<Network> networks;

  [[nodiscard]] double combined(double arithmetic, double memory) const {
    return roofline ? (arithmetic > memory ? arithmetic : memory) : arithmetic + memory;
  }
};

/// Parse Calculon's JSON, or equivalent YAML; `where` is the name in errors. Errc: config_*.
[[nodiscard]] Result<Model> parse_model(std::string_view text, const std::string& where);
[[nodiscard]] Result<Plan> parse_plan(std::string_view text, const std::string& where);
[[nodiscard]] Result<Machine> parse_machine(std::string_view text, const std::string& where);
/// The plan as a Calculon execution file.
[[nodiscard]] std::string to_json(const Plan& plan);

}  // namespace orrery::estimate::calculon

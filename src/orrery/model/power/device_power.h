// SPDX-License-Identifier: Apache-2.0
//
// The power of a device by its load, and the energy of a step.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::model {

/// Power of an idle device in a running job, as a share of its maximum. Measured in use, per
/// maximum: MI355X 238 of 1,400 W and B200 137 of 1,000 W (github.com/ROCm/legacy-rocm-build, issue
/// 5219), V100 53 of 300 W with a model in memory (github.com/zai-org/GLM-130B, issue 32). The
/// shares are 0.17, 0.14 and 0.18.
inline constexpr double kIdlePowerShare = 0.17;

/// In W. Between both, power grows linearly with the load, the share of time that the device
/// computes. Source of the linear model: Fan, Weber and Barroso, "Power provisioning for a
/// warehouse-sized computer", ISCA 2007, section 3 (of servers by CPU utilization).
struct DevicePower {
  double idle = 0, busy = 0;

  [[nodiscard]] double at(double load) const { return idle + (busy - idle) * load; }
};

/// From the maximum power of a data sheet.
[[nodiscard]] constexpr DevicePower power_of(double maximum) {
  return {kIdlePowerShare * maximum, maximum};
}

/// "700": the maximum in W; "100-700": idle and computing. Errc: usage, with `where`.
[[nodiscard]] Result<DevicePower> parse_power(std::string_view text, const std::string& where);

/// "1.2 kW", "3.4 MWh": four digits. `unit`: of `value`.
[[nodiscard]] std::string format_power_unit(double value, std::string_view unit);

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/quantity.h"

#include <cmath>

namespace orrery {

std::optional<Time> transfer_time(Bytes size, Bandwidth rate) {
  if (!(rate.count() > 0.0) || !std::isfinite(rate.count()) || size.count() < 0)
    return std::nullopt;
  const double picoseconds = std::ceil(static_cast<double>(size.count()) / rate.count() * 1e12);
  if (!(picoseconds < 9.2e18)) return std::nullopt;
  return Time(static_cast<std::int64_t>(picoseconds));
}

}  // namespace orrery

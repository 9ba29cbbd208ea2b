// SPDX-License-Identifier: Apache-2.0
//
// Measurements as curves: what one collective takes by size.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/calibrate/measurements/measured.h"

namespace orrery::calibrate {

/// Times of one collective among one number of ranks of one device.
struct MeasuredCurve {
  std::string device, library, version, collective, dtype, algorithm, protocol;
  std::int32_t nodes = 0, ranks = 0;  ///< 0: not said
  bool in_place = false;
  /// Bytes and microseconds; at least four, bytes ascending, none twice.
  std::vector<std::pair<std::int64_t, double>> points;
  std::int64_t dropped = 0;  ///< points that were outliers
};

/// The curves of a set, ordered by device, library, version, collective, data type, nodes, ranks.
///
/// Equal sizes become one point with the median of their times. A point that takes more than 1.5
/// times as long as both its neighbours is dropped, and so is the smallest where it takes so much
/// longer than the next: the first of a run is cold. Times in place and out of place are never
/// mixed; where both are there, the curve is that of out of place. Findings: measured_again (equal
/// sizes more than 5 % apart), outlier_dropped, curve_too_short (fewer than four points are left).
[[nodiscard]] std::vector<MeasuredCurve> measured_curves(const MeasurementSet& set,
                                                         Findings& findings);

}  // namespace orrery::calibrate

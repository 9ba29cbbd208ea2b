// SPDX-License-Identifier: Apache-2.0
//
// Curves of measurements: the time of one collective by size.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/calibrate/measurements/measurement_set.h"
#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::calibrate {

/// Times of one collective by size, for one device and number of ranks.
struct MeasuredCurve : MeasuredSeries {
  std::vector<model::SizedTime> points;  ///< at least four, bytes strictly ascending
  std::int64_t dropped = 0;              ///< number of outliers that were dropped
};

/// Returns the curves of a set, ordered by device, library, version, collective, data type, nodes,
/// ranks, algorithm, protocol.
///
/// Measurements of equal size become one point with their median time. A point is dropped if it
/// lasts more than 1.5 times as long as both neighbors. The smallest size is dropped if it lasts
/// more than 1.5 times as long as the next, because the first measurement of a run is cold.
/// In-place and out-of-place times are never mixed; if both exist, the curve is out of place.
/// Findings: measured_again (times of equal sizes differ by more than 5 %), outlier_dropped,
/// curve_too_short (fewer than four points remain).
[[nodiscard]] std::vector<MeasuredCurve> measured_curves(const MeasurementSet& set,
                                                         Findings& findings);

}  // namespace orrery::calibrate

// SPDX-License-Identifier: Apache-2.0
//
// Fits measured collectives with curves that cluster files include.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/measured_curves.h"
#include "orrery/calibrate/measurements/measurement_set.h"
#include "orrery/model/collective/curves/curve_file.h"
#include "orrery/model/collective/nccl/tuning.h"

namespace orrery::calibrate {

/// Facts that measurements may lack.
struct NetworkOptions {
  /// Device of the catalog, for measurements whose device name the catalog does not contain.
  /// Empty: none.
  std::string device;
};

/// The curve of one collective in one group of devices.
struct CalibratedCurve {
  model::CollectiveCurve curve;
  std::vector<model::SizedTime> points;      ///< measured points of the curve
  std::vector<model::HeldOutSize> held_out;  ///< held-out sizes that determine its error
  /// Forced choices of the library. Empty: its own choice, or the fastest of several.
  std::string algorithm, protocol;

  /// Maximum bus bandwidth of all sizes, in GB/s, as nccl-tests defines it.
  [[nodiscard]] double peak_bus_bandwidth() const;
};

/// Curves fitted to measurements.
struct NetworkCalibration {
  /// One curve for each device, collective, number of nodes and number of ranks, in this order.
  std::vector<CalibratedCurve> curves;
  /// All curves with forced algorithm or protocol, also if `curves` does not contain them. The
  /// choices of a tuner file are based on them.
  std::vector<CalibratedCurve> forced;
  model::CurveNotes notes;  ///< without the files and `made_by`
};

/// Returns the function that builds a curve from points. It connects sizes by straight lines. If
/// NCCL made its own choice, it uses curve_with_protocol_changes(): NCCL's cost model (on the
/// maker's machine) shows where the choice changes between two sizes. `device`: a name of the
/// catalog; for other devices no change is known.
[[nodiscard]] model::CurveMaker curve_maker(const MeasuredSeries& measured, std::string_view device,
                                            graph::CollectiveType type,
                                            const model::nccl::Shape& shape);

/// Builds curves from measurements.
///
/// If a group was measured several times, the library's own choice takes precedence over a forced
/// one (if all are forced, the curve uses the fastest at each size), then the newest version, then
/// the most sizes, then half precision. The notes list the others. If a curve has more than 1024
/// sizes, every second one is dropped until at most 1024 remain.
///
/// The device is a name of the catalog or the name that its driver reports, otherwise
/// options.device, otherwise the measured name unchanged. Each of several devices gets its own
/// curves. If the number of nodes is not stated and the ranks fit into one node of the maker, one
/// node is assumed (default_assumed).
///
/// Errc: input_missing_attr (no device, or no number of ranks or nodes), usage (options.device for
/// several unknown names), input_mismatch (fewer ranks than nodes), input_empty (no curve remains).
/// Findings: default_assumed and those of measured_curves().
[[nodiscard]] Result<NetworkCalibration> calibrate_network(const MeasurementSet& set,
                                                           const NetworkOptions& options,
                                                           Findings& findings);

}  // namespace orrery::calibrate

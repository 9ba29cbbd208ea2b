// SPDX-License-Identifier: Apache-2.0
//
// Measured collectives as curves that a cluster file takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/calibrate/measurements/measured.h"
#include "orrery/calibrate/measurements/measured_curves.h"
#include "orrery/model/collective/curves/curve_file.h"
#include "orrery/model/collective/nccl/tuning.h"

namespace orrery::calibrate {

/// What measurements may not say.
struct NetworkOptions {
  std::string device;  ///< of the catalogue, for a name that no driver gives; empty: none
};

/// One collective among one group of devices.
struct CalibratedCurve {
  model::MeasuredCollective curve;
  std::vector<model::SizedTime> points;       ///< what it goes through
  std::vector<model::HeldOutSize> held_back;  ///< what its error is of
  /// What the library was made to run; empty: its own choice, or the fastest of several.
  std::string algorithm, protocol;

  /// GB/s on the bus, as nccl-tests says it: the most of all sizes.
  [[nodiscard]] double peak_bus_bandwidth() const;
};

/// What measurements come to.
struct NetworkCalibration {
  /// One for each device, collective, number of nodes and ranks; by these.
  std::vector<CalibratedCurve> curves;
  /// Those that the library was made to run, whether or not they are among the curves: what a
  /// tuner's file is chosen from.
  std::vector<CalibratedCurve> forced;
  model::CurveNotes notes;  ///< all but the files and `made_by`
};

/// What makes a curve of such points: straight lines from size to size, but where NCCL chose for
/// itself and its cost model (on the maker's machine) says that the choice changes between two,
/// curve_with_protocol_changes(). `device`: of the catalogue; of others no change is known.
[[nodiscard]] model::CurveMaker curve_maker(const MeasuredCurve& measured, std::string_view device,
                                            graph::CollectiveType type,
                                            const model::nccl::Shape& shape);

/// Makes curves of what was measured.
///
/// Where a group was measured several times, the library's own choice counts before one that was
/// forced (of which, if there is nothing else, the fastest is taken size by size), then the newest
/// version, then the most sizes, then half precision; the others are said in the notes. Of more
/// than 1024 sizes of one curve every second is taken until there are fewer.
///
/// Devices: a name of the catalogue, or what its drivers say, else options.device, else as it
/// stands. Several devices give curves of each. Nodes that nobody told are one where so many ranks
/// fit into a node of the maker's (default_assumed).
///
/// Errc: input_missing_attr (no device, or no number of ranks or nodes), usage (options.device for
/// several unknown names), input_empty (no curve is left). Findings: those of measured_curves().
[[nodiscard]] Result<NetworkCalibration> calibrate_network(const MeasurementSet& set,
                                                           const NetworkOptions& options,
                                                           Findings& findings);

}  // namespace orrery::calibrate

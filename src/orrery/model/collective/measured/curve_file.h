// SPDX-License-Identifier: Apache-2.0
//
// Fitted curves of collectives with what they were measured on, as files and as built in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/graph.h"
#include "orrery/model/collective/measured/size_curve.h"

namespace orrery::model {

/// What one collective takes on one machine, by size of the buffer as nccl-tests counts it: the
/// larger of what a rank gives and gets.
struct MeasuredCollective {
  std::string name;     ///< in a list of them: "h100-sxm all_reduce 1x8"
  std::string device;   ///< of the catalogue, or as measured
  std::string library;  ///< "nccl 2.29.2"; may be empty
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t nodes = 1, ranks = 2;
  double intra = 0;  ///< GB/s of one GPU into its node's links; 0: that of the device's maker
  double inter = 0;  ///< GB/s of one GPU into the network; 0: there is none
  SizeCurve curve;
  CurveError error;    ///< of sizes held back
  std::string source;  ///< where it was measured, by whom, under which licence

  friend bool operator==(const MeasuredCollective&, const MeasuredCollective&) = default;
};

/// The curves of a file: a list, or a mapping with one under `curves`, as `orrery calibrate
/// network` writes it. Errc: config_*; `where` names it in errors.
[[nodiscard]] Result<std::vector<MeasuredCollective>> parse_curves(std::string_view text,
                                                                   const std::string& where);
[[nodiscard]] Result<std::vector<MeasuredCollective>> read_curves(const std::string& path);

/// The list that parse_curves() reads.
[[nodiscard]] std::string write_curves(std::span<const MeasuredCollective> curves);

/// The built-in curves whose name begins with the device's and a space. O(their number).
[[nodiscard]] std::vector<MeasuredCollective> built_in_curves(std::string_view device);
/// Devices with built-in curves, each once.
[[nodiscard]] std::vector<std::string> measured_devices();

}  // namespace orrery::model

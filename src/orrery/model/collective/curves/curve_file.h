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
#include "orrery/model/collective/curves/size_curve.h"

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
  CurveError error;          ///< of sizes held back
  std::string source;        ///< where it was measured, by whom, under which licence
  std::string driver;        ///< what the measurement calls the device; may be empty
  std::string dtype;         ///< likewise, of the elements
  std::int64_t dropped = 0;  ///< sizes that were outliers

  friend bool operator==(const MeasuredCollective&, const MeasuredCollective&) = default;
};

/// How a file came about: for people, and so that others can find what it was made from.
struct CurveNotes {
  struct File {
    std::string name;    ///< without folders
    std::string sha256;  ///< of its bytes, in hexadecimal
  };
  struct Dropped {
    std::string why;  ///< a finding's name
    std::int64_t count = 0;
  };
  struct LeftOut {
    std::string what, why;
  };
  std::string made_by;  ///< command
  std::string made_on;  ///< when it was measured: a date
  std::vector<File> made_from;
  std::vector<std::string> tools;  ///< that measured
  std::vector<Dropped> dropped;    ///< measurements
  std::vector<LeftOut> left_out;   ///< whole curves
};

/// The curves of a file: a list, or a mapping with one under `curves`, as `orrery calibrate
/// network` writes it. Errc: config_*; `where` names it in errors.
[[nodiscard]] Result<std::vector<MeasuredCollective>> parse_curves(std::string_view text,
                                                                   const std::string& where);
[[nodiscard]] Result<std::vector<MeasuredCollective>> read_curves(const std::string& path);

/// The same list under `curves`, behind how it came about.
[[nodiscard]] std::string write_curve_file(const CurveNotes& notes,
                                           std::span<const MeasuredCollective> curves);

/// The list that parse_curves() reads. A curve through points is written as times of sizes.
[[nodiscard]] std::string write_curves(std::span<const MeasuredCollective> curves);

/// The built-in curves whose name begins with the device's and a space. O(their number).
[[nodiscard]] std::vector<MeasuredCollective> built_in_curves(std::string_view device);
/// Devices with built-in curves, each once.
[[nodiscard]] std::vector<std::string> measured_devices();

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// Fitted curves of collectives, with the machines on which they were measured: from files and
// built in.
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

/// The duration of one collective on one machine, by size of the buffer as nccl-tests defines it:
/// the larger of a rank's input and output.
struct CollectiveCurve {
  std::string name;     ///< "h100-sxm all_reduce 1x8"
  std::string device;   ///< name in the catalog, or as measured
  std::string library;  ///< "nccl 2.29.2"; may be empty
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t nodes = 1, ranks = 2;
  double intra = 0;  ///< GB/s of one GPU into its node's links; 0: those of the predicted machine
  double inter = 0;  ///< GB/s of one GPU into the network; 0: as the predicted machine, or none
  SizeCurve curve;
  CurveError error;          ///< at held-out sizes
  std::string source;        ///< place, author and license of the measurement
  std::string driver;        ///< name of the device in the measurement; may be empty
  std::string dtype;         ///< data type of the elements in the measurement; may be empty
  std::int64_t dropped = 0;  ///< number of sizes dropped as outliers

  friend bool operator==(const CollectiveCurve&, const CollectiveCurve&) = default;
};

/// The provenance of a file, for readers.
struct CurveNotes {
  struct File {
    std::string name;    ///< without folders
    std::string sha256;  ///< of its bytes, in hexadecimal
  };
  struct Dropped {
    std::string why;  ///< name of a finding
    std::int64_t count = 0;
  };
  struct LeftOut {
    std::string what, why;
  };
  std::string made_by;  ///< command
  std::string made_on;  ///< date of the measurement
  std::vector<File> made_from;
  std::vector<std::string> tools;  ///< measurement tools
  std::vector<Dropped> dropped;    ///< dropped measurements
  std::vector<LeftOut> left_out;   ///< omitted curves
};

/// Parses the curves of a file: a list, or a mapping with a list under `curves`, as `orrery
/// calibrate network` writes it. `where` is the name of the file in errors. Errc: config_*.
[[nodiscard]] Result<std::vector<CollectiveCurve>> parse_curves(std::string_view text,
                                                                const std::string& where);
[[nodiscard]] Result<std::vector<CollectiveCurve>> read_curves(const std::string& path);

/// The text of a file: `notes`, then the curves under `curves`.
[[nodiscard]] std::string write_curve_file(const CurveNotes& notes,
                                           std::span<const CollectiveCurve> curves);

/// The curves as a list that parse_curves() reads. A curve through points is written as times of
/// sizes.
[[nodiscard]] std::string write_curves(std::span<const CollectiveCurve> curves);

/// The built-in curves whose names begin with the device's name and a space. O(number of curves).
[[nodiscard]] std::vector<CollectiveCurve> built_in_curves(std::string_view device);
/// Devices with built-in curves, each once.
[[nodiscard]] std::vector<std::string> measured_devices();

}  // namespace orrery::model

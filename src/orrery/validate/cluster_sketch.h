// SPDX-License-Identifier: Apache-2.0
//
// Devices as people write them in tables of results, and clusters in a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/platform/catalogue/catalogue.h"

namespace orrery::validate {

/// The device of the catalogue that is meant: by its name, by what drivers call it, or by words
/// ("A100-40GB", "NVIDIA H100-SXM5-80GB", "B200"). Null: none. Where a name says neither form nor
/// memory, the form that clusters are built of.
[[nodiscard]] const platform::DeviceEntry* match_device(std::string_view text);

/// A cluster by what tables of results say of it.
struct ClusterSketch {
  std::string gpu;
  std::int64_t n = 0;    ///< devices
  std::int64_t dom = 0;  ///< devices of an island; 0: all of them
  double nvl = 0;        ///< GB/s of a device and direction inside an island
  double ib = 0;         ///< … and between islands
};

/// Its cluster file: islands behind switches, a network between them; latencies of 500 ns and 2 us,
/// which a collective library that is known to the device does not use. Errc: input_unsupported (no
/// such device), input_range (islands that do not divide the devices, no bandwidth where one is
/// needed).
[[nodiscard]] Result<std::string> cluster_sketch_file(const ClusterSketch& sketch,
                                                      const std::string& where);

}  // namespace orrery::validate

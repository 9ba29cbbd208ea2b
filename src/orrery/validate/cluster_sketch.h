// SPDX-License-Identifier: Apache-2.0
//
// Matches device names in tables of results, and converts one-line cluster descriptions to cluster
// files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::validate {

/// Returns the matching device of the catalog: by its name, its driver name, or words
/// ("A100-40GB", "NVIDIA H100-SXM5-80GB", "B200"). Null: none matches. If the text contains neither
/// form factor nor memory, the usual variant in clusters matches.
[[nodiscard]] const platform::DeviceEntry* match_device(std::string_view text);

/// A cluster as described in tables of results.
struct ClusterSketch {
  std::string gpu;
  std::int64_t devices = 0;
  std::int64_t island_devices = 0;  ///< devices per island; 0: all of them
  double island_bandwidth = 0;      ///< GB/s per device and direction within an island
  double network_bandwidth = 0;     ///< … and between islands
};

/// Returns the cluster file: islands with switches and a network between them. Latencies are 500 ns
/// and 2 us; a collective library that supports the device ignores them. Errc: input_unsupported
/// (unknown device), input_range (islands that do not divide the devices, or a missing bandwidth).
[[nodiscard]] Result<std::string> cluster_sketch_file(const ClusterSketch& sketch,
                                                      const std::string& where);

}  // namespace orrery::validate

// SPDX-License-Identifier: Apache-2.0
//
// Measurements of GPUs by Lin et al.
#pragma once

#include <span>
#include <string_view>

#include "orrery/model/embedding/lookup_traffic.h"

namespace orrery::model {

/// Measured by gpuroofperf and by sweeps of copies; GB/s and GFLOP/s.
struct LinDevice {
  std::string_view name;     ///< of Lin et al.: "V100"
  std::string_view catalog;  ///< name in the catalog; empty: not in it
  double peak, memory_rate, cache_rate, shared_rate;
  std::int64_t processors;
  double cache_mib;
  /// max_bw 0: Lin et al. have no curve; their code uses that of V100 instead.
  LinCurve memory;

  [[nodiscard]] LookupDevice for_lookups() const {
    return {processors, cache_mib * 1048576, cache_rate, peak, memory};
  }
};

/// A100, V100, GV100, Titan Xp, P100. Source: owensgroup/ml_perf_model (BSD-3-Clause),
/// analysis/utils.py.
[[nodiscard]] std::span<const LinDevice> lin_devices();
/// The device with this name in the catalog. Null: there is none with a memory curve.
[[nodiscard]] const LinDevice* lin_device(std::string_view catalog);

}  // namespace orrery::model

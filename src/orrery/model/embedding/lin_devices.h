// SPDX-License-Identifier: Apache-2.0
//
// What Lin et al. measured of their GPUs.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "orrery/model/embedding/lookup_traffic.h"

namespace orrery::model {

/// By gpuroofperf and sweeps of copies; GB/s and GFLOP/s.
struct LinDevice {
  std::string_view name;       ///< theirs: "V100"
  std::string_view catalogue;  ///< ours; empty where the catalogue lacks it
  double peak, memory_rate, cache_rate, shared_rate, host_rate;
  std::int64_t processors;
  double cache_mib;
  /// Without curve (its max_bw 0) where they had none: their code has V100's in that place.
  LinCurve memory;

  [[nodiscard]] LookupDevice for_lookups() const {
    return {processors, cache_mib * 1048576, cache_rate, peak, memory};
  }
};

/// A100, V100, GV100, Titan Xp, P100. Source: owensgroup/ml_perf_model (BSD-3-Clause),
/// analysis/utils.py.
[[nodiscard]] std::span<const LinDevice> lin_devices();
/// The one of the catalogue's name, if it has a memory curve.
[[nodiscard]] const LinDevice* lin_device(std::string_view catalogue);

}  // namespace orrery::model

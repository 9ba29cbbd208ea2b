// SPDX-License-Identifier: Apache-2.0
//
// A recording's kernels on another device.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/catalogue/catalogue.h"

namespace orrery::study {

/// What was made, and what it rests on: recorded time of kernels, by how they were moved.
struct DeviceChange {
  graph::Workload workload;
  std::string from, to;  ///< names of the catalogue
  Time by_model{};       ///< operation and sizes known: as the models' times on both devices
  Time by_bandwidth{};   ///< … not known: as their memories' bandwidths
  Time by_peak{};        ///< … with a name that speaks of products: as their peaks
  /// "A kernel of B was told by its model, ..." in shares of recorded time.
  [[nodiscard]] std::string words() const;
};

/// Kernels take what they took, times what models say of the two devices. Hosts, copies and
/// communication stay as they were recorded. `recorded_on` is a name of the catalogue, or empty:
/// what the recording's driver says. Errc: usage, for devices that are not in the catalogue.
[[nodiscard]] Result<DeviceChange> change_device(const graph::Workload& workload,
                                                 const std::string& recorded_on,
                                                 const std::string& to);

/// Counts (recorded_on_other_device) that recorded kernels keep times which they took on another
/// device than this one. `recorded_on` as above. Nothing is counted where it is the same, where one
/// of both is not said, or where times of kernels are not the recorded ones.
void count_other_device(const graph::Workload& workload, const std::string& recorded_on,
                        const platform::Device& device, Findings& findings);

}  // namespace orrery::study

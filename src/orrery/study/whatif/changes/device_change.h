// SPDX-License-Identifier: Apache-2.0
//
// Converts recorded kernel times to another device.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// A converted workload, and the recorded kernel time by conversion method.
struct DeviceChange {
  graph::Workload workload;
  std::string from, to;  ///< names of the catalog
  Time by_table{};       ///< measured on the target (--kernel-table): the measured time
  Time by_model{};       ///< known operations and sizes: ratio of predicted times
  Time by_bandwidth{};   ///< … unknown: ratio of memory bandwidths
  Time by_peak{};        ///< … with the name of a matrix product: ratio of peaks
  /// "kernels from A to B: 80 % of their time scaled with kernel models, ..."
  [[nodiscard]] std::string description() const;
};

/// Scales kernel times by the ratio of the predictions for both devices. A kernel that `measured`
/// has for the target gets that time. Hosts, copies and communication are unchanged. `recorded_on`
/// is a name of the catalog; empty: the device name in the recording. `measured`: models from files
/// of measurements. Errc: usage for devices that are not in the catalog.
[[nodiscard]] Result<DeviceChange> change_device(const graph::Workload& workload,
                                                 const std::string& recorded_on,
                                                 const std::string& to,
                                                 const model::SuppliedModels& measured = {});

/// Counts recorded_on_other_device if recorded kernels keep the times of another device.
/// `recorded_on` as above. Counts nothing if both devices are equal, if one of them is unknown, or
/// if the simulation does not use recorded kernel times.
void count_other_device(const graph::Workload& workload, const std::string& recorded_on,
                        const platform::Device& device, Findings& findings);

}  // namespace orrery::study

// SPDX-License-Identifier: Apache-2.0
//
// Converts recorded kernel times to another device.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/model/compute/device_ratios.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/platform/platform.h"

namespace orrery::study {

/// A converted workload, and the recorded kernel time by conversion method.
struct DeviceChange {
  graph::Workload workload;
  std::string from, to;              ///< names of the catalog
  Time by_table{};                   ///< measured on the target (--kernel-table): the measured time
  Time by_model{};                   ///< known operations and sizes: ratio of predicted times
  Time by_name{};                    ///< … unknown: ratio of the known kernels of equal name
  Time by_bandwidth{};               ///< … or of memory bandwidths
  Time by_peak{};                    ///< … with the name of a matrix product: or of peaks
  Time host_before{}, host_after{};  ///< host work with a known ratio, as recorded and as converted
  /// "kernels from A to B: 80 % of their time scaled with kernel models, ..."
  [[nodiscard]] std::string description() const;
};

/// Reads the table of learned ratios (model::DeviceRatios) at `path`. Empty: the built-in table;
/// "none": no ratios. Errc: those of config::read_text and DeviceRatios::parse.
[[nodiscard]] Result<model::DeviceRatios> read_device_ratios(const std::string& path);

/// Converts kernel and host times. In the order of belief: a kernel that `measured` has for the
/// target gets that time. Other kernels scale by the ratio of the predictions for both devices,
/// corrected by `ratios`, so that errors that both predictions share cancel. Kernels without
/// identified operator scale as the identified kernels of their name, else with memory bandwidth or
/// peak. Hosts scale by `ratios`, if these contain both; copies and communication are unchanged.
/// `recorded_on` is a name of the catalog; empty: the device name in the recording. `measured`:
/// models from files of measurements. Errc: usage for devices that are not in the catalog.
[[nodiscard]] Result<DeviceChange> change_device(const graph::Workload& workload,
                                                 const std::string& recorded_on,
                                                 const std::string& to,
                                                 const model::SuppliedModels& measured,
                                                 const model::DeviceRatios& ratios);

/// Counts recorded_on_other_device if recorded kernels keep the times of another device.
/// `recorded_on` as above. Counts nothing if both devices are equal, if one of them is unknown, or
/// if the simulation does not use recorded kernel times.
void count_other_device(const graph::Workload& workload, const std::string& recorded_on,
                        const platform::Device& device, Findings& findings);

}  // namespace orrery::study

// SPDX-License-Identifier: Apache-2.0
//
// PCIe between devices whose topology the cluster does not describe.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::platform {

/// Whether `link` is PCIe between devices, and neither the user nor a measurement says how: a link
/// of the catalog ("pcie4-x16") on a device (null: none of the catalog) for which no collectives
/// over such links were measured (SystemDesign::measured).
[[nodiscard]] bool is_unknown_pcie(const LinkEntry& link, const DeviceEntry* device);

/// The rate per device and direction that collectives of `devices` devices reach in the slow
/// published machines.
///
/// Up to 4 devices, the usual number of a CPU socket, copy through host memory, because they have
/// no peer-to-peer access through the host bridge (NCCL's SHM transport). Two RTX 6000 Ada reach
/// 11.2 GB/s, 0.356 of their PCIe 4 link (PipeWeave's all-reduces of 4 MB to 1 GB). More devices
/// also cross the link between sockets. Messages of peers through the CPUs reach 1.77 GB/s with 2
/// and about as much with 8 devices (github.com/NVIDIA/nccl, issue 44), or 2 GB/s (issue 1603,
/// whose maintainer states that CPUs are poor PCIe switches). Machines with PCIe switches, or with
/// carefully configured CPUs, reach 10 to 20 times as much: 8 RTX 5090 28 GB/s (issue 1639), 4 RTX
/// 4090 18 to 22 GB/s (issue 1603).
[[nodiscard]] Bandwidth unknown_pcie_bandwidth(const LinkEntry& link, std::int64_t devices);

}  // namespace orrery::platform

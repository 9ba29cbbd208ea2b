// SPDX-License-Identifier: Apache-2.0
//
// What PCI tells of a device: its class, and how fast its link is.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// What a PCI class says: the first four digits of "0x030200" or "0302". Displays (0300) count as
/// devices only if `displays` (where nothing but accelerators is listed). Else NodeClass::other.
/// Source: PCI Code and ID Assignment Specification, class codes.
[[nodiscard]] NodeClass class_of_pci(std::string_view digits, bool displays);

/// Bytes per second, in one direction, of `lanes` at so many GT/s after their line code: 8 of 10
/// bits up to 5 GT/s, 128 of 130 up to 32 GT/s, 242 of 256 bytes beyond. 0 where either is 0.
/// Source: PCI Express Base Specification 6.0, §4.2.
[[nodiscard]] Bandwidth pcie_rate(double gigatransfers, double lanes);

}  // namespace orrery::platform

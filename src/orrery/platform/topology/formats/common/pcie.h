// SPDX-License-Identifier: Apache-2.0
//
// PCI attributes of a device: its class, and the speed of its link.
#pragma once

#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// The class of a PCI device, by the first four digits of "0x030200" or "0302"; else
/// NodeClass::other. Displays (0300) are devices only with `displays`, for files that list only
/// accelerators. Source: PCI Code and ID Assignment Specification, class codes.
[[nodiscard]] NodeClass class_of_pci(std::string_view digits, bool displays);

/// Bytes per second in one direction, without the line code: 8 of 10 bits up to 5 GT/s, 128 of 130
/// up to 32 GT/s, 242 of 256 bytes above. 0 if an argument is 0. Source: PCI Express Base
/// Specification 6.0, §4.2.
[[nodiscard]] Bandwidth pcie_rate(double gigatransfers, double lanes);

}  // namespace orrery::platform

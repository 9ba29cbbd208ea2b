// SPDX-License-Identifier: Apache-2.0
//
// What programs find on a device, and what they take of it for themselves.
#pragma once

#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::study {

/// Of a device of the catalogue: workspaces of PyTorch and Transformer Engine, the driver's context
/// and a communicator's buffers. All zero for a name that is not in the catalogue, or a device that
/// runs no PyTorch of its own. Where each figure comes from stands beside it in usable_memory.cc.
[[nodiscard]] workload::DeviceMemory reserved_memory(std::string_view entry);

/// Memory that a program finds on it: what a public report of one says, else its data sheet's. 0:
/// not known.
[[nodiscard]] Bytes usable_memory(const platform::Device& device);

/// The same with the memory beside it. 0: not known, or as much as is needed.
[[nodiscard]] Bytes usable_total_memory(const platform::Device& device);

}  // namespace orrery::study

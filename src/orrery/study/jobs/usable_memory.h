// SPDX-License-Identifier: Apache-2.0
//
// Memory available to programs on a device, and memory reserved by frameworks.
#pragma once

#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::study {

/// Memory reserved on a device of the catalog: workspaces of PyTorch and Transformer Engine, the
/// context of the driver, and the buffers of a communicator. All zero for a name that is not in the
/// catalog, or a device that PyTorch does not support. usable_memory.cc lists the source of each
/// number.
[[nodiscard]] workload::DeviceMemory reserved_memory(std::string_view entry);

/// Memory available to a program: from a public report, else from the data sheet. 0: unknown.
[[nodiscard]] Bytes usable_memory(const platform::Device& device);

/// The same including memory expansion. 0: unknown, or unlimited.
[[nodiscard]] Bytes usable_total_memory(const platform::Device& device);

}  // namespace orrery::study

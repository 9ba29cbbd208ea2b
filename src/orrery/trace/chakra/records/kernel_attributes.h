// SPDX-License-Identifier: Apache-2.0
//
// Stores kernels in a trace. The metadata contains each kernel's text once (attribute `kernels`);
// each node has the index of its kernel (attribute `kernel`). If known, the metadata also contains
// the host time per kernel launch (attribute `kernel_launch_ps`: forward, backward, optimizer).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// Adds the attributes of the trace's metadata; none if there are no kernels. Other readers ignore
/// them.
void add_kernels(const graph::KernelTable& kernels, std::vector<AttributeRecord>& to);

/// Adds the kernels in a trace's metadata (`message`, as in the file) to `kernels`. Returns their
/// ids by number in the trace. A text that is not a kernel becomes kNoKernel and is counted
/// (attr_ignored). Impossible launch times, and those that differ from the ones in `kernels`, are
/// also ignored and counted: all hosts of a workload have the same launch times.
[[nodiscard]] std::vector<graph::KernelId> read_kernel_table(std::string_view message,
                                                             const std::string& where,
                                                             graph::KernelTable& kernels,
                                                             Findings& findings);

[[nodiscard]] std::vector<graph::KernelId> read_kernel_table(const MetadataRecord& metadata,
                                                             const std::string& where,
                                                             graph::KernelTable& kernels,
                                                             Findings& findings);

}  // namespace orrery::trace::chakra

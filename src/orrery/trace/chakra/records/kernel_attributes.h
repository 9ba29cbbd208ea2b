// SPDX-License-Identifier: Apache-2.0
//
// Kernels in a trace: their texts once, in its metadata (attribute `kernels`), and at each node the
// number of its own among them (attribute `kernel`). Beside them what a host takes to launch one
// (attribute `kernel_launch_ps`: forward, backward, optimizer), where that is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// Adds what the trace's metadata says of kernels; nothing where there are none. Other readers
/// leave it alone.
void add_kernels(const graph::KernelTable& kernels, std::vector<AttributeRecord>& to);

/// What the trace's numbers mean in `kernels`, to which they are added (`message`: its metadata, as
/// in the file). A text that is no kernel is kNoKernel, and a finding (attr_ignored); so are launch
/// times that cannot be, or are other than those that `kernels` has: a workload's hosts are alike.
[[nodiscard]] std::vector<graph::KernelId> read_kernel_table(std::string_view message,
                                                             const std::string& where,
                                                             graph::KernelTable& kernels,
                                                             Findings& findings);

[[nodiscard]] std::vector<graph::KernelId> read_kernel_table(const MetadataRecord& metadata,
                                                             const std::string& where,
                                                             graph::KernelTable& kernels,
                                                             Findings& findings);

}  // namespace orrery::trace::chakra

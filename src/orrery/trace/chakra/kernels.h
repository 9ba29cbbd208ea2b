// SPDX-License-Identifier: Apache-2.0
//
// Kernels in a trace: their texts once, in its metadata (attribute `kernels`), and at each node the
// number of its own among them (attribute `kernel`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/graph/kernel.h"
#include "orrery/trace/chakra/record.h"

namespace orrery::trace::chakra {

/// An attribute for the trace's metadata. Other readers leave it alone.
[[nodiscard]] AttributeRecord attribute_kernels(const graph::KernelTable& kernels);

/// What the trace's numbers mean in `kernels`, to which they are added (`message`: its metadata, as
/// in the file). A text that is no kernel is kNoKernel, and a finding (attr_ignored).
[[nodiscard]] std::vector<graph::KernelId> take_kernels(std::string_view message,
                                                        const std::string& where,
                                                        graph::KernelTable& kernels,
                                                        Findings& findings);

[[nodiscard]] std::vector<graph::KernelId> take_kernels(const MetadataRecord& metadata,
                                                        const std::string& where,
                                                        graph::KernelTable& kernels,
                                                        Findings& findings);

}  // namespace orrery::trace::chakra

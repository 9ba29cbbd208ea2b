// SPDX-License-Identifier: Apache-2.0
//
// Counts the kernels that a rank launches in one step, from the program, without running it.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// A distinct kernel of a role. An op without a kernel counts as graph::Operation::unsaid with the
/// op's FLOPs and bytes.
struct KernelCount {
  graph::Kernel kernel{};
  std::uint64_t nodes = 0;  ///< nodes of one rank in one step; each launches the kernel
                            ///< Kernel::launches times
};

/// The kernels of `role` in program order, without ops that neither compute nor move bytes. Exact.
/// O(tasks + bodies): loops are counted, not unrolled.
[[nodiscard]] std::vector<KernelCount> count_kernels(const Program& program, std::uint32_t role);

}  // namespace orrery::workload

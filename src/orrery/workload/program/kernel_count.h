// SPDX-License-Identifier: Apache-2.0
//
// Which kernels a rank launches in one step, and how often: from the program, without running it.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// One distinct kernel of a role. An op of which nobody says what it computes is one of
/// graph::Operation::unsaid with the op's FLOPs and bytes.
struct KernelCount {
  graph::Kernel kernel{};
  std::uint64_t nodes = 0;  ///< of one rank in one step; each makes Kernel::launches
};

/// In the order in which the program has them; what computes nothing and moves no byte is left
/// out. Exact; O(tasks + bodies): loops are counted, not unrolled.
[[nodiscard]] std::vector<KernelCount> count_kernels(const Program& program, std::uint32_t role);

}  // namespace orrery::workload

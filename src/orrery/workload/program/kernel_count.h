// SPDX-License-Identifier: Apache-2.0
//
// Counts the kernels that a rank launches in one step, from the program, without running it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
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

/// The operator of a node: its name up to the first '.' or blank. "mlp_up" of "mlp_up.dgrad L3
/// mb0".
[[nodiscard]] std::string_view operator_of(std::string_view node);

/// The kernel of an op, or one of the operation `unsaid` with the op's FLOPs and bytes; empty for
/// ops that neither compute nor move bytes.
[[nodiscard]] std::optional<graph::Kernel> counted_kernel(const Op& op);

/// The kernels of `role` in program order, without ops that neither compute nor move bytes. Exact.
/// O(tasks + bodies): loops are counted, not unrolled.
[[nodiscard]] std::vector<KernelCount> count_kernels(const Program& program, std::uint32_t role);

/// Calls `on_op` for each op of `role` that runs, in program order, with its number of runs in a
/// step of one rank. O(tasks + bodies).
void for_each_op(const Program& program, std::uint32_t role,
                 const std::function<void(const Op& op, std::uint64_t runs)>& on_op);

}  // namespace orrery::workload

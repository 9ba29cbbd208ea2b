// SPDX-License-Identifier: Apache-2.0
//
// The algorithm of a collective, as the name of its kernel contains it.
#pragma once

#include <string>
#include <string_view>

namespace orrery::profile {

/// "ring LL" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)", "one shot" of
/// "one_shot_all_reduce_kernel"; "": the name contains none. NCCL compiles few kernels and runs
/// other algorithms in them as well: the name is that of the kernel, not always of what ran.
/// Source: NCCL, src/device/generate.py.
[[nodiscard]] std::string kernel_algorithm(std::string_view kernel);

}  // namespace orrery::profile

// SPDX-License-Identifier: Apache-2.0
//
// One kernel as people type it: "gemm 4096 8192 8192", "attention batch=1 heads=32 … causal".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"

namespace orrery::study {

/// The kernel of an operation and what follows it: sizes in the order of graph::size_names, or
/// NAME=VALUE (launches, flops and bytes, too), traits, a pass, formats as "bf16,bf16>fp32"; so
/// what graph::to_text writes is read, too. `dtype`: one format for all operands ("fp4" is
/// fp4_block), or three as above. FLOPs and bytes are the least for these sizes where they are not
/// given. Errc::usage, with the nearest word that would do.
[[nodiscard]] Result<graph::Kernel> parse_kernel(std::span<const std::string> words,
                                                 std::string_view dtype, std::string_view pass);

/// Whether kernels of `operation` can do without its size number `size`.
[[nodiscard]] bool is_optional_size(graph::Operation operation, std::size_t size);

}  // namespace orrery::study

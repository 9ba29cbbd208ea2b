// SPDX-License-Identifier: Apache-2.0
//
// Parses a kernel from text: "gemm 4096 8192 8192", "attention batch=1 heads=32 … causal".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"

namespace orrery::study {

/// Parses an operation and its attributes: sizes in the order of graph::size_names, or NAME=VALUE
/// (also launches, flops and bytes), traits, a pass, and formats as "bf16,bf16>fp32". It also
/// parses the output of graph::to_text. `dtype`: one format for all operands ("fp4" is fp4_block),
/// or three as above. If FLOPs or bytes are not given, they are the minimum for these sizes.
/// Errc::usage; the hint suggests the nearest valid word.
[[nodiscard]] Result<graph::Kernel> parse_kernel(std::span<const std::string> words,
                                                 std::string_view dtype, std::string_view pass);

/// Whether kernels of `operation` may omit their size number `size`.
[[nodiscard]] bool is_optional_size(graph::Operation operation, std::size_t size);

}  // namespace orrery::study

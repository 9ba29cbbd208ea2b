// SPDX-License-Identifier: Apache-2.0
//
// What a recorded operator computes, from its name and the shapes of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "orrery/graph/kernel.h"

namespace orrery::intake {

/// An input of an operator: empty where it is no tensor (or a list of them).
using TensorShape = std::vector<std::int64_t>;

/// "[[2, 3], [], [4]]": one per input. Nothing for what is no such list.
[[nodiscard]] std::optional<std::vector<TensorShape>> read_shapes(std::string_view dims);

/// "["float", "c10::BFloat16", ""]", or as execution traces have them ("Tensor(c10::Half)").
[[nodiscard]] std::vector<graph::Format> read_formats(std::string_view types);

/// The kernel that an ATen operator is mostly, with its FLOPs and the bytes of its tensors. Nothing
/// for an operator that is not known here, or whose shapes do not fit it. The pass is forward: a
/// product does not say whose gradient it is.
[[nodiscard]] std::optional<graph::Kernel> kernel_of_operator(
    std::string_view name, const std::vector<TensorShape>& shapes,
    const std::vector<graph::Format>& formats);

}  // namespace orrery::intake

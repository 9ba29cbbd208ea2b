// SPDX-License-Identifier: Apache-2.0
//
// Infers the kernel of a recorded operator from its name and its arguments.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::trace::operators {

/// The main kernel of an operator, with its FLOPs and the bytes of its tensors, in the same terms
/// as generated workloads. Knows operators of PyTorch (ATen) and of libraries that register theirs
/// there. An overload ("aten::add_.Tensor") is like the operator. Nothing for unknown operators,
/// and for arguments that do not fit.
///
/// The pass is forward, except for operators that are gradients by name. An operator that computes
/// several gradients (convolution_backward) is `backward`, unless the arguments request only one.
/// For a product the name does not show whether it is a gradient: see gradients.h.
[[nodiscard]] std::optional<graph::Kernel> kernel_of_operator(std::string_view name,
                                                              const Arguments& arguments);

/// True if the result may depend on values of arguments, in addition to shapes and formats.
[[nodiscard]] bool reads_values(std::string_view name);

/// The arguments that are the two factors of a matrix product; nothing for other operators.
[[nodiscard]] std::optional<std::array<std::size_t, 2>> factors_of_product(std::string_view name);

}  // namespace orrery::trace::operators

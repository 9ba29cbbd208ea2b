// SPDX-License-Identifier: Apache-2.0
//
// What a recorded operator computes, from its name and its arguments.
#pragma once

#include <optional>
#include <string_view>

#include "orrery/graph/kernel.h"
#include "orrery/trace/operators/arguments.h"

namespace orrery::trace::operators {

/// The kernel that an operator is mostly, with its FLOPs and the bytes of its tensors, in the words
/// that generated workloads have for the same work: operators of PyTorch (ATen), and of libraries
/// that register theirs there. An overload ("aten::add_.Tensor") is as the operator. Nothing for an
/// operator that is not known here, or whose arguments do not fit it.
///
/// The pass is forward but for operators that are gradients by name; where one makes several
/// (convolution_backward) it is `backward` unless only one is asked for. A product does not say
/// whose gradient it is: see gradients.h.
[[nodiscard]] std::optional<graph::Kernel> kernel_of_operator(std::string_view name,
                                                              const Arguments& arguments);

/// Whether the answer may depend on values of arguments, beside shapes and formats.
[[nodiscard]] bool reads_values(std::string_view name);

}  // namespace orrery::trace::operators

// SPDX-License-Identifier: Apache-2.0
//
// Parts of the names of kernels and operators that communicate.
#pragma once

#include <string>
#include <string_view>

#include "orrery/profile/comm.h"

namespace orrery::profile {

/// Lower case, letters and digits only: "_allgather_base" and "ALL-GATHER" become equal.
[[nodiscard]] std::string normalized_name(std::string_view text);

/// The qualified name of the function in a demangled C++ signature, without return type, template
/// arguments, parameters and "(anonymous namespace)": "a::f" for "void a::f<int>(T*)". Other texts
/// remain unchanged up to the first '('.
[[nodiscard]] std::string qualified_function_name(std::string_view signature);

/// The operation in the name of a communication library's range: "all_reduce" in
/// "nccl:all_reduce", "send 0->1" in "nccl:send 0->1". Empty: it is no such range.
[[nodiscard]] std::string_view library_range_operation(std::string_view name);
/// True for "nccl:all_reduce", "gloo:barrier" …
[[nodiscard]] inline bool is_library_range(std::string_view name) {
  return !library_range_operation(name).empty();
}

/// True for the framework's operators that request communication from a library:
/// "c10d::allreduce_", "_c10d_functional::all_reduce".
[[nodiscard]] bool is_framework_communication(std::string_view name);

/// The kind of communication of an operator that does nothing else: of c10d, of PyTorch's
/// symmetric memory, or of a serving framework ("symm_mem::one_shot_all_reduce",
/// "vllm::all_reduce"). `unknown` for other operators, and for those that also compute, such as
/// "symm_mem::fused_all_gather_matmul".
[[nodiscard]] CommKind comm_operator_kind(std::string_view name);

}  // namespace orrery::profile

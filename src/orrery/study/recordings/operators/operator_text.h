// SPDX-License-Identifier: Apache-2.0
//
// Recorded arguments of operators as text for people.
#pragma once

#include <string>
#include <string_view>

namespace orrery::study {

/// "[512] [141,512] [512,512]" for "[[512], [141, 512], [512, 512], [], []]": without the
/// arguments at the end that are no tensors. Other texts stay unchanged.
[[nodiscard]] std::string shapes_text(std::string_view dims);
/// "bf16" or "bf16 fp32": the different formats of the tensors, in order of their arguments.
[[nodiscard]] std::string formats_text(std::string_view dims, std::string_view types);
/// The beginning of the name of a device kernel, without its parameters.
[[nodiscard]] std::string device_kernel_text(std::string_view name);

}  // namespace orrery::study

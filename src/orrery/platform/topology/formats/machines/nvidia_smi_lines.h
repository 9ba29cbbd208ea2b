// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::platform {

/// Joins lines of `nvidia-smi topo -m` that a narrow terminal broke, also within a word. Lines that
/// are not broken stay unchanged. O(text).
[[nodiscard]] std::string join_wrapped_lines(std::string_view text);

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// The lines of a text.
#pragma once

#include <string_view>
#include <vector>

namespace orrery {

/// The lines of a text, without the empty one after a last newline.
[[nodiscard]] std::vector<std::string_view> text_lines(std::string_view text);

}  // namespace orrery

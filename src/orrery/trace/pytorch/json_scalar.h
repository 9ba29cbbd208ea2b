// SPDX-License-Identifier: Apache-2.0
//
// Parses JSON scalars in text form. The text may be invalid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::trace::pytorch {

/// The integer of a number's text, also within quotes or with a fraction of zeros.
[[nodiscard]] std::optional<std::int64_t> integer(std::string_view text);

/// The content of a JSON string; empty for anything else.
[[nodiscard]] std::string string_value(std::string_view text);

}  // namespace orrery::trace::pytorch

// SPDX-License-Identifier: Apache-2.0
//
// What a scalar of JSON that stays text says. Nothing here needs it to be sound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::trace::pytorch {

/// A whole number's text, also within quotes or written with a fraction of zeros.
[[nodiscard]] std::optional<std::int64_t> integer(std::string_view text);

/// What a JSON string says; empty for anything else.
[[nodiscard]] std::string string_value(std::string_view text);

}  // namespace orrery::trace::pytorch

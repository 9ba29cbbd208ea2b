// SPDX-License-Identifier: Apache-2.0
//
// Small things done to JSON that stays text. Nothing here needs its input to be sound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::trace::pytorch {

[[nodiscard]] std::string_view trim(std::string_view text);

/// True when there is white space outside of strings.
[[nodiscard]] bool has_spaces(std::string_view json);
/// Appends `json` without white space outside of strings.
void append_compact(std::string& out, std::string_view json);

/// The elements of a list, as texts. At most `most` of them.
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view list, std::size_t most);

/// The longest list of whole elements from the front of `list` that is at most `limit` long.
[[nodiscard]] std::string cut_list(std::string_view list, std::size_t limit);

/// A whole number's text, also within quotes or written with a fraction of zeros.
[[nodiscard]] std::optional<std::int64_t> integer(std::string_view text);

/// What a JSON string says; empty for anything else.
[[nodiscard]] std::string string_value(std::string_view text);

}  // namespace orrery::trace::pytorch

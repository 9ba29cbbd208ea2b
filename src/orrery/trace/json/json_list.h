// SPDX-License-Identifier: Apache-2.0
//
// Functions for JSON lists as text. The text may be invalid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::trace::json {

/// True if there is white space outside of strings.
[[nodiscard]] bool has_spaces(std::string_view json);
/// Appends `json` without white space outside of strings.
void append_compact(std::string& out, std::string_view json);

/// The elements of a list as texts, at most `most`.
[[nodiscard]] std::vector<std::string_view> elements_of(std::string_view list, std::size_t most);

/// The longest list of complete elements from the front of `list` with at most `limit` bytes.
[[nodiscard]] std::string cut_list(std::string_view list, std::size_t limit);

}  // namespace orrery::trace::json

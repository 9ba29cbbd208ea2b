// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace orrery::graph {

/// `text` made fit for a one-line message: control characters become '?', and beyond `limit` bytes
/// it ends in "…". A cut never falls inside a UTF-8 character.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace orrery::graph

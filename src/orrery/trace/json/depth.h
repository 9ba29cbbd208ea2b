// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace orrery::trace::json {

/// True when arrays and objects nest deeper than `most`. Looked at before parsing, whose cost grows
/// with depth. Brackets inside strings do not count. Linear; nothing need be legal JSON.
[[nodiscard]] bool nests_deeper(std::string_view text, int most);

}  // namespace orrery::trace::json

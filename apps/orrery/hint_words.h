// SPDX-License-Identifier: Apache-2.0
//
// Words that users type as a command, and what Orrery has for them.
#pragma once

#include <string_view>

namespace orrery::app {

/// The hint for a word that is not a command: "'orrery search' finds ..."; empty: none.
[[nodiscard]] std::string_view hint_for_word(std::string_view word);

}  // namespace orrery::app

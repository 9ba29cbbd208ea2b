// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery::trace::json {

/// What may stand between JSON's tokens (RFC 8259, section 2).
[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace orrery::trace::json

// SPDX-License-Identifier: Apache-2.0
//
// Text in JSON of other people's fabrics.
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/document.h"

namespace orrery::platform {

/// Text at a key; empty: none.
[[nodiscard]] inline std::string text_at(const config::Json& object, std::string_view key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace orrery::platform

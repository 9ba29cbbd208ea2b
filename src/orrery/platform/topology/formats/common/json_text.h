// SPDX-License-Identifier: Apache-2.0
//
// Text in JSON files of other tools.
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/config/json.h"

namespace orrery::platform {

/// The text at a key; empty: there is none.
[[nodiscard]] inline std::string text_at(const config::Json& object, std::string_view key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace orrery::platform

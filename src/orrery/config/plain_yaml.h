// SPDX-License-Identifier: Apache-2.0
//
// YAML as Orrery writes it, read without a library: for the module of the web page, which has no
// yaml-cpp. parse_yaml() of that module reads with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"

namespace orrery::config {

/// The YAML document in `text`, as parse_yaml() reads it: collections in block and flow style,
/// plain and quoted scalars. Refused: anchors, aliases, tags, block scalars (| and >), complex
/// keys, directives, several documents. `repeated`: as in parse_yaml(). Errc: config_syntax,
/// limit_exceeded, with "line:column".
[[nodiscard]] Result<Json> parse_plain_yaml(std::string_view text, const std::string& where,
                                            std::vector<std::string>* repeated = nullptr);

}  // namespace orrery::config

// SPDX-License-Identifier: Apache-2.0
//
// Detects the format of a fabric file by its content.
#pragma once

#include <string_view>

#include "orrery/config/json_types.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {

/// By the first element's name.
[[nodiscard]] TopologyFormat detect_xml_format(std::string_view root);
/// By the keys of a JSON or YAML tree.
[[nodiscard]] TopologyFormat detect_tree_format(const config::Json& file);
/// By the first lines; unknown: it may be YAML.
[[nodiscard]] TopologyFormat detect_text_format(std::string_view text);

}  // namespace orrery::platform

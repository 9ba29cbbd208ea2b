// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/infragraph_keys.h"

#include <initializer_list>

#include "orrery/config/json.h"

namespace orrery::platform {

using config::Json;

namespace {

bool has_any(const Json& file, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (file.contains(key)) return true;
  }
  return false;
}

}  // namespace

bool is_node_link(const Json& file) {
  const auto list = [&](const char* key) {
    const auto found = file.find(key);
    return found != file.end() && found->is_array();
  };
  return list("nodes") && (list("edges") || list("links")) &&
         (file.contains("directed") || file.contains("multigraph"));
}

bool is_only_annotations(const Json& file) {
  if (has_any(file, {"devices", "instances", "components"})) return false;
  const auto nodes = file.find("nodes");
  if (file.contains("annotations")) return true;
  return nodes != file.end() && nodes->is_array() && !nodes->empty() && (*nodes)[0].is_object() &&
         (*nodes)[0].contains("attributes");
}

bool is_infragraph(const Json& file) {
  if (!file.is_object()) return false;
  return is_node_link(file) || is_only_annotations(file) ||
         has_any(file, {"infrastructure", "inventory", "device_instances", "instances", "devices",
                        "components"}) ||
         (file.contains("device") && file["device"].is_array());
}

}  // namespace orrery::platform

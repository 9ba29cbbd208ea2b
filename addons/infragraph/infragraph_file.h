// SPDX-License-Identifier: Apache-2.0
//
// An InfraGraph file before expansion: devices, instances, edges, links.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/error.h"
#include "orrery/platform/topology/formats/common/json_text.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

using config::Json;

struct Component {
  std::string name, description;
  std::string type;     ///< "cpu", "xpu", "nic", "memory", "port", "switch", or a custom one
  bool device = false;  ///< refers to the device with this name
  std::uint64_t count = 1;
};

/// The properties of links with one name.
struct LinkType {
  std::string description;
  Bandwidth bandwidth{};  ///< 0: not stated
  std::optional<Time> latency;
  double gigatransfers = 0;  ///< per second and lane; 0: the rate is in other units or not stated
  std::string place;
};
using LinkTypes = std::map<std::string, LinkType, std::less<>>;

enum class EdgeScheme : std::uint8_t { one2one, many2many, ring };

/// An edge between names with slices: "xpu[0:8]" in a device, "host[0].nic" between instances.
struct Edge {
  std::string ep1, ep2, link;
  EdgeScheme scheme = EdgeScheme::one2one;
  std::string place;
};

struct Device {
  std::string name, description, place;
  std::vector<Component> components;
  std::map<std::string, std::size_t, std::less<>> component_of;  ///< by name
  LinkTypes links;
  std::vector<Edge> edges;
};

struct Instance {
  std::string name, device, place;
  std::uint64_t count = 1;
};

struct Infrastructure {
  std::string name;
  std::vector<Device> devices;
  std::map<std::string, std::size_t, std::less<>> device_of;  ///< by name
  LinkTypes links;
  std::vector<Instance> instances;
  std::map<std::string, std::size_t, std::less<>> instance_of;
  std::vector<Edge> edges;
  LinkTypes undescribed;  ///< names of links that edges use but the file does not define
};

/// Parses an infrastructure of schema 1 or later, or a single device. Errc: input_corrupt,
/// input_range, input_missing_attr, input_unsupported, limit_exceeded (a name is too long).
[[nodiscard]] Result<Infrastructure> parse(const Json& infrastructure, const std::string& where);

/// Parses `links:` of any schema, as a list or by name.
[[nodiscard]] Result<LinkTypes> parse_links(const Json& owner, const std::string& place);
/// Parses the name and links of a device, in any schema. Errc: as check_name().
[[nodiscard]] Result<Device> begin_device(const Json& json, const std::string& place);
/// Adds a component with the count in `json`. Errc: input_corrupt (duplicate), input_range.
[[nodiscard]] Result<void> add_component(Component made, const Json& json, const std::string& place,
                                         Device& device);
/// Errc: input_missing_attr (no components), input_corrupt (duplicate).
[[nodiscard]] Result<void> add_device(Device made, const std::string& place, Infrastructure& file);
/// Reads an instance of an existing device. Errc: input_corrupt, input_range, as check_name().
[[nodiscard]] Result<void> read_instance(const Json& json, const std::string& place,
                                         Infrastructure& file);
/// If the file has no instances: adds an instance of the only device that is part of no other
/// device. Errc: input_missing_attr.
[[nodiscard]] Result<void> complete_instances(Infrastructure& file, const std::string& where);
/// Checks that a name is short enough to repeat a million times and that it can be split at slices
/// (`sliced`). Errc: limit_exceeded, input_missing_attr (empty), input_corrupt.
[[nodiscard]] Result<void> check_name(std::string_view name, const std::string& place,
                                      bool sliced = true);
/// A data rate in an annotation, where gigabytes per second may be "GBps". Errc: as read_rate().
[[nodiscard]] Result<Bandwidth> annotated_rate(std::string text, const std::string& place);
/// The integer at key `count`; 1 if there is none. Errc: input_range.
[[nodiscard]] Result<std::uint64_t> count_at(const Json& object, const std::string& place);

/// Calls `each(element, place)` for each mapping in a list; does nothing if the key is missing.
template <class Each>
Result<void> for_list(const Json& owner, const char* key, const std::string& place, Each each) {
  const auto list = owner.find(key);
  if (list == owner.end() || list->is_null()) return {};
  const std::string at = place + "/" + key;
  if (!list->is_array()) return fail(Errc::input_corrupt, at, "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string one = config::pointer(at, i);
    if (!(*list)[i].is_object()) return fail(Errc::input_corrupt, one, "must be a mapping");
    if (Result<void> done = each((*list)[i], one); !done) return done;
  }
  return {};
}

}  // namespace orrery::platform::infragraph

// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/legacy_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

/// The oldest files have mappings by name instead of lists: calls `each(element, place)` for both.
template <class Each>
Result<void> for_any(const Json& owner, const char* key, const std::string& place, Each each) {
  const auto found = owner.find(key);
  if (found == owner.end() || found->is_null()) return {};
  const std::string at = place + "/" + key;
  if (!found->is_array() && !found->is_object())
    return fail(Errc::input_corrupt, at, "must be a list");
  for (const auto& [name, value] : found->items()) {
    if (Result<void> done = each(value, at + pointer_step(name)); !done) return done;
  }
  return {};
}

/// Splits "a.0.link.b.1" into words. There must be `count` words, and every second one, except the
/// link, must be a number.
Result<std::vector<std::string>> words_of(const Json& connection, const std::string& place,
                                          std::size_t count) {
  std::vector<std::string> words;
  if (connection.is_string()) {
    const std::string text = connection.get<std::string>();
    std::size_t from = 0;
    while (from <= text.size()) {
      const std::size_t end = std::min(text.find('.', from), text.size());
      words.push_back(text.substr(from, end - from));
      from = end + 1;
    }
  }
  bool fine = words.size() == count;
  for (std::size_t i = 0; fine && i < count; ++i) {
    const bool index = i < count / 2 ? i % 2 == 1 : i > count / 2 && i % 2 == 0;
    fine = !words[i].empty() && (!index || whole_number(words[i]).has_value());
  }
  if (fine) return words;
  return fail(Errc::input_corrupt, place,
              connection.is_string()
                  ? fmt::format("{} is not a connection", in_quotes(connection.get<std::string>()))
                  : std::string("a connection must be text"),
              count == 5 ? "write it as node, link, node: xpu.0.pcie.nic.1"
                         : "write it as node, link, node: host.0.nic.0.ethernet.switch.0.port.1");
}

std::string type_of(const Json& component) {
  for (const char* key : {"type", "choice"}) {
    if (std::string type = text_at(component, key); !type.empty()) return type;
  }
  for (const char* key : {"npu", "xpu", "cpu", "nic", "switch", "memory", "port"}) {
    if (component.contains(key)) return key;
  }
  return "custom";
}

Result<void> read_old_component(const Json& json, const std::string& place, Device& device,
                                std::vector<bool>& counted) {
  if (!json.is_object()) return fail(Errc::input_corrupt, place, "must be a mapping");
  if (json.contains("components"))
    return fail(
        Errc::input_unsupported, place + "/components",
        "nested components in an InfraGraph schema before 1: the connections do not specify a copy",
        "write it in schema 1 or later: a component of choice `device`");
  Component made{text_at(json, "name"), text_at(json, "description"), type_of(json), false, 1};
  if (auto fine = check_name(made.name, place + "/name"); !fine) return fine;
  // Old files call ports NICs.
  if (made.type == "nic" && mentions(made.name, "port")) made.type = "port";
  counted.push_back(json.contains("count"));
  return add_component(std::move(made), json, place, device);
}

/// The name of an end inside a device. Increases the count of a component without a stated count.
Result<std::string> end_inside(const std::string& name, const std::string& index,
                               const std::string& place, Device& device,
                               const std::vector<bool>& counted) {
  const auto found = device.component_of.find(name);
  if (found == device.component_of.end())
    return fail(
        Errc::input_corrupt, place,
        fmt::format("device {} has no component {}", in_quotes(device.name), in_quotes(name)));
  Component& component = device.components[found->second];
  const std::uint64_t number = *whole_number(index);
  if (!counted[found->second] && number < 1'000'000)
    component.count = std::max(component.count, number + 1);
  return fmt::format("{}[{}]", name, index);
}

Result<void> read_old_device(const Json& json, const std::string& place, Infrastructure& file) {
  if (!json.is_object()) return fail(Errc::input_corrupt, place, "must be a mapping");
  Result<Device> started = begin_device(json, place);
  if (!started) return tl::unexpected(started.error());
  Device& made = *started;
  std::vector<bool> counted;
  const auto component = [&](const Json& one, const std::string& at) {
    return read_old_component(one, at, made, counted);
  };
  if (auto done = for_any(json, "components", place, component); !done) return done;
  const auto connection = [&](const Json& one, const std::string& at) -> Result<void> {
    Result<std::vector<std::string>> words = words_of(one, at, 5);
    if (!words) return tl::unexpected(words.error());
    Result<std::string> ep1 = end_inside((*words)[0], (*words)[1], at, made, counted);
    if (!ep1) return tl::unexpected(ep1.error());
    Result<std::string> ep2 = end_inside((*words)[3], (*words)[4], at, made, counted);
    if (!ep2) return tl::unexpected(ep2.error());
    made.edges.push_back({*ep1, *ep2, (*words)[2], EdgeScheme::one2one, at});
    return {};
  };
  if (auto done = for_any(json, "connections", place, connection); !done) return done;
  if (made.edges.empty() && !made.components.empty())
    return fail(Errc::input_missing_attr, place,
                fmt::format("device {}, of an InfraGraph schema before 1, has no connections, so "
                            "its links are unknown",
                            in_quotes(made.name)),
                "write it in schema 1 or later, with edges");
  return add_device(std::move(made), place, file);
}

}  // namespace

bool is_legacy(const Json& infrastructure) {
  if (infrastructure.contains("inventory") || infrastructure.contains("device_instances") ||
      infrastructure.contains("connections") || infrastructure.contains("device"))
    return true;
  const auto devices = infrastructure.find("devices");
  if (devices == infrastructure.end() || !devices->is_array()) return false;
  for (const Json& device : *devices) {
    if (!device.is_object()) continue;
    if (device.contains("connections")) return true;
    const auto components = device.find("components");
    if (components == device.end() || !components->is_array()) continue;
    for (const Json& component : *components) {
      if (component.is_object() && component.contains("type") && !component.contains("choice"))
        return true;
    }
  }
  return false;
}

Result<Infrastructure> parse_legacy(const Json& infrastructure, const std::string& where,
                                    Findings& findings) {
  findings.add(FindingCode::legacy_schema, where.substr(0, where.find_last_not_of(':') + 1));
  Infrastructure file;
  file.name = text_at(infrastructure, "name");
  const bool inventory =
      infrastructure.contains("inventory") && infrastructure["inventory"].is_object();
  const Json& owner = inventory ? infrastructure["inventory"] : infrastructure;
  const std::string at = inventory ? where + "/inventory" : where;
  const auto device = [&](const Json& one, const std::string& place) {
    return read_old_device(one, place, file);
  };
  for (const char* key : {"devices", "device"}) {
    if (auto done = for_any(owner, key, at, device); !done) return tl::unexpected(done.error());
  }
  if (file.devices.empty())
    return fail(Errc::input_empty, at + "/devices", "the infrastructure has no devices");
  Result<LinkTypes> links = parse_links(owner, at);
  if (!links) return tl::unexpected(links.error());
  file.links = std::move(*links);
  const auto instance = [&](const Json& one, const std::string& place) -> Result<void> {
    if (!one.is_object()) return fail(Errc::input_corrupt, place, "must be a mapping");
    return read_instance(one, place, file);
  };
  for (const char* key : {"device_instances", "instances"}) {
    if (auto done = for_any(infrastructure, key, where, instance); !done)
      return tl::unexpected(done.error());
  }
  const auto connection = [&](const Json& one, const std::string& place) -> Result<void> {
    Result<std::vector<std::string>> w = words_of(one, place, 9);
    if (!w) return tl::unexpected(w.error());
    file.edges.push_back({fmt::format("{}[{}].{}[{}]", (*w)[0], (*w)[1], (*w)[2], (*w)[3]),
                          fmt::format("{}[{}].{}[{}]", (*w)[5], (*w)[6], (*w)[7], (*w)[8]), (*w)[4],
                          EdgeScheme::one2one, place});
    return {};
  };
  if (auto done = for_any(infrastructure, "connections", where, connection); !done)
    return tl::unexpected(done.error());
  if (auto done = complete_instances(file, where); !done) return tl::unexpected(done.error());
  return file;
}

}  // namespace orrery::platform::infragraph

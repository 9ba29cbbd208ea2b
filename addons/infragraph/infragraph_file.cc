// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/infragraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

/// Normalizes spellings: "gigabits_per_second", "giga_bits_per_second" and "gbps" become equal.
std::string plain_key(std::string_view key) {
  std::string out = lower_case(key);
  std::erase(out, '_');
  return out;
}

Result<void> read_bandwidth(const Json& bandwidth, const std::string& place, LinkType& out) {
  if (!bandwidth.is_object())
    return fail(Errc::input_corrupt, place, "a bandwidth must be a mapping",
                "write {choice: gigabits_per_second, gigabits_per_second: 400}");
  for (const auto& [name, value] : bandwidth.items()) {
    const std::string key = plain_key(name);
    const bool bits = key == "gigabitspersecond" || key == "gbps";
    const bool bytes = key == "gigabytespersecond";
    const bool transfers = key == "gigatransferspersecond";
    if (!bits && !bytes && !transfers) continue;
    if (!value.is_number())
      return fail(Errc::input_corrupt, place + pointer_step(name), "not a number");
    Result<Bandwidth> rate =
        read_rate(value.get<double>(), bits ? kGigabit : 1e9, place + pointer_step(name));
    if (!rate) return tl::unexpected(rate.error());
    if (transfers) {
      out.gigatransfers = value.get<double>();
    } else {
      out.bandwidth = *rate;
    }
  }
  return {};
}

Result<void> read_latency(const Json& latency, const std::string& place, LinkType& out) {
  if (!latency.is_object())
    return fail(Errc::input_corrupt, place, "a latency must be a mapping",
                "write {choice: ns, ns: 500}");
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}};
  for (const auto& [unit, picoseconds] : kUnits) {
    const auto value = latency.find(unit);
    if (value == latency.end()) continue;
    if (!value->is_number())
      return fail(Errc::input_corrupt, place + pointer_step(unit), "not a number");
    Result<Time> delay = read_delay(value->get<double>(), picoseconds, place + pointer_step(unit));
    if (!delay) return tl::unexpected(delay.error());
    out.latency = *delay;
  }
  return {};
}

Result<LinkType> read_link_kind(const Json& link, const std::string& place) {
  LinkType out;
  out.description = text_at(link, "description");
  out.place = place;
  const bool nested = link.contains("physical") && link["physical"].is_object();
  const Json& physical = nested ? link["physical"] : link;
  const std::string at = nested ? place + "/physical" : place;
  if (const auto found = physical.find("bandwidth"); found != physical.end()) {
    if (auto done = read_bandwidth(*found, at + "/bandwidth", out); !done)
      return tl::unexpected(done.error());
  }
  if (const auto found = physical.find("latency"); found != physical.end()) {
    if (auto done = read_latency(*found, at + "/latency", out); !done)
      return tl::unexpected(done.error());
  }
  return out;
}

Result<void> read_component(const Json& json, const std::string& place, Device& device) {
  Component made{text_at(json, "name"), text_at(json, "description"), text_at(json, "choice"),
                 false, 1};
  if (auto fine = check_name(made.name, place + "/name"); !fine) return fine;
  if (made.type == "custom") {
    made.type = json.contains("custom") && json["custom"].is_object()
                    ? text_at(json["custom"], "type")
                    : std::string();
    if (made.type.empty()) made.type = "custom";
  } else if (made.type.empty()) {
    return fail(Errc::input_missing_attr, place + "/choice",
                fmt::format("the choice of {} is missing", in_quotes(made.name)),
                "use one of custom, device, cpu, xpu, nic, memory, port, switch");
  }
  made.device = made.type == "device";
  return add_component(std::move(made), json, place, device);
}

/// One end of an edge, as a name with slices.
std::string endpoint_of(const Json& edge, const char* key) {
  const auto found = edge.find(key);
  if (found == edge.end() || !found->is_object()) return {};
  const std::string outer = text_at(*found, found->contains("instance") ? "instance" : "device");
  const std::string inner = text_at(*found, "component");
  return outer.empty() ? inner : inner.empty() ? outer : outer + "." + inner;
}

Result<void> read_edge_of(const Json& json, const std::string& place, std::vector<Edge>& out) {
  Edge made{endpoint_of(json, "ep1"), endpoint_of(json, "ep2"), text_at(json, "link"),
            EdgeScheme::one2one, place};
  for (const auto& [text, key] : {std::pair{&made.ep1, "/ep1"}, std::pair{&made.ep2, "/ep2"}}) {
    if (text->empty())
      return fail(Errc::input_missing_attr, place + key, "an edge lacks this end",
                  "name the component, and also the instance for edges between instances");
  }
  const std::string scheme = text_at(json, "scheme");
  if (scheme == "many2many") {
    made.scheme = EdgeScheme::many2many;
  } else if (scheme == "ring") {
    made.scheme = EdgeScheme::ring;
  } else if (!scheme.empty() && scheme != "one2one") {
    return fail(Errc::input_unsupported, place + "/scheme",
                fmt::format("unknown scheme {}", in_quotes(scheme)),
                "use one2one, many2many or ring");
  }
  out.push_back(std::move(made));
  return {};
}

Result<void> read_device(const Json& json, const std::string& place, Infrastructure& file) {
  Result<Device> made = begin_device(json, place);
  if (!made) return tl::unexpected(made.error());
  const auto component = [&](const Json& one, const std::string& at) {
    return read_component(one, at, *made);
  };
  if (auto done = for_list(json, "components", place, component); !done) return done;
  const auto edge = [&](const Json& one, const std::string& at) {
    return read_edge_of(one, at, made->edges);
  };
  if (auto done = for_list(json, "edges", place, edge); !done) return done;
  return add_device(std::move(*made), place, file);
}

}  // namespace

Result<Bandwidth> annotated_rate(std::string text, const std::string& place) {
  if (const std::size_t at = text.find("GBps"); at != std::string::npos)
    text.replace(at, 4, "GB/s");
  return read_rate(text, place);
}

Result<std::uint64_t> count_at(const Json& object, const std::string& place) {
  const auto found = object.find("count");
  if (found == object.end() || found->is_null()) return 1;
  if (found->is_number_integer() && *found > 0) return found->get<std::uint64_t>();
  return fail(Errc::input_range, place + "/count", "must be a whole number of at least 1");
}

Result<void> check_name(std::string_view name, const std::string& place, bool sliced) {
  if (name.empty()) return fail(Errc::input_missing_attr, place, "has no name", "give it one");
  if (name.size() > kMaxNameBytes)
    return fail(
        Errc::limit_exceeded, place,
        fmt::format("a name has {} bytes, but the limit is {}", name.size(), kMaxNameBytes));
  if (sliced && name.find_first_of("[].") != std::string_view::npos)
    return fail(
        Errc::input_corrupt, place,
        fmt::format("the name {} has a character that is reserved for slices", in_quotes(name)));
  return {};
}

Result<LinkTypes> parse_links(const Json& owner, const std::string& place) {
  LinkTypes made;
  const auto links = owner.find("links");
  if (links == owner.end() || links->is_null()) return made;
  if (!links->is_array() && !links->is_object())
    return fail(Errc::input_corrupt, place + "/links", "must be a list");
  for (const auto& [key, link] : links->items()) {
    const std::string at = place + "/links" + pointer_step(key);
    if (!link.is_object()) return fail(Errc::input_corrupt, at, "must be a mapping");
    Result<LinkType> kind = read_link_kind(link, at);
    if (!kind) return tl::unexpected(kind.error());
    made.insert_or_assign(links->is_object() ? key : text_at(link, "name"), std::move(*kind));
  }
  return made;
}

Result<Device> begin_device(const Json& json, const std::string& place) {
  Device made;
  made.name = text_at(json, "name");
  made.description = text_at(json, "description");
  made.place = place.substr(0, place.find_last_not_of(':') + 1);  // for a single device: the file
  if (auto fine = check_name(made.name, place + "/name", false); !fine)
    return tl::unexpected(fine.error());
  Result<LinkTypes> links = parse_links(json, place);
  if (!links) return tl::unexpected(links.error());
  made.links = std::move(*links);
  return made;
}

Result<void> add_component(Component made, const Json& json, const std::string& place,
                           Device& device) {
  Result<std::uint64_t> count = count_at(json, place);
  if (!count) return tl::unexpected(count.error());
  made.count = *count;
  if (!device.component_of.emplace(made.name, device.components.size()).second)
    return fail(Errc::input_corrupt, place,
                fmt::format("a second component {}", in_quotes(made.name)));
  device.components.push_back(std::move(made));
  return {};
}

Result<void> add_device(Device made, const std::string& place, Infrastructure& file) {
  if (made.components.empty())
    return fail(Errc::input_missing_attr, place + "/components",
                fmt::format("device {} has no components", in_quotes(made.name)));
  if (!file.device_of.emplace(made.name, file.devices.size()).second)
    return fail(Errc::input_corrupt, place,
                fmt::format("a second device {}", in_quotes(made.name)));
  file.devices.push_back(std::move(made));
  return {};
}

Result<void> read_instance(const Json& json, const std::string& place, Infrastructure& file) {
  Instance made{text_at(json, "name"), text_at(json, "device"), place, 1};
  if (auto fine = check_name(made.name, place + "/name"); !fine) return fine;
  Result<std::uint64_t> count = count_at(json, place);
  if (!count) return tl::unexpected(count.error());
  made.count = *count;
  if (!file.device_of.contains(made.device))
    return fail(Errc::input_corrupt, place + "/device",
                fmt::format("unknown device {}", in_quotes(made.device)),
                "describe the device under devices, or use another");
  if (!file.instance_of.emplace(made.name, file.instances.size()).second)
    return fail(Errc::input_corrupt, place,
                fmt::format("a second instance {}", in_quotes(made.name)));
  file.instances.push_back(std::move(made));
  return {};
}

Result<void> complete_instances(Infrastructure& file, const std::string& where) {
  if (!file.instances.empty()) return {};
  std::vector<bool> part(file.devices.size());
  for (const Device& device : file.devices) {
    for (const Component& component : device.components) {
      const auto nested = file.device_of.find(component.name);
      if (component.device && nested != file.device_of.end()) part[nested->second] = true;
    }
  }
  const auto alone = static_cast<std::size_t>(std::count(part.begin(), part.end(), false));
  if (alone != 1)
    return fail(Errc::input_missing_attr, where + "/instances",
                fmt::format("{} devices but no instances: the number of each device is missing",
                            file.devices.size()),
                "add instances: [{name: host, device: ..., count: ...}]");
  const auto which = std::find(part.begin(), part.end(), false) - part.begin();
  const Device& device = file.devices[static_cast<std::size_t>(which)];
  file.instance_of.emplace(device.name, 0);
  file.instances.push_back({device.name, device.name, device.place, 1});
  return {};
}

Result<Infrastructure> parse(const Json& infrastructure, const std::string& where) {
  Infrastructure file;
  file.name = text_at(infrastructure, "name");
  if (infrastructure.contains("components")) {
    if (auto done = read_device(infrastructure, where, file); !done)
      return tl::unexpected(done.error());
  }
  const auto device = [&](const Json& one, const std::string& at) {
    return read_device(one, at, file);
  };
  if (auto done = for_list(infrastructure, "devices", where, device); !done)
    return tl::unexpected(done.error());
  if (file.devices.empty())
    return fail(Errc::input_empty, where + "/devices", "the infrastructure has no devices");
  if (!infrastructure.contains("components")) {
    Result<LinkTypes> links = parse_links(infrastructure, where);
    if (!links) return tl::unexpected(links.error());
    file.links = std::move(*links);
    const auto edge = [&](const Json& one, const std::string& at) {
      return read_edge_of(one, at, file.edges);
    };
    if (auto done = for_list(infrastructure, "edges", where, edge); !done)
      return tl::unexpected(done.error());
    const auto instance = [&](const Json& one, const std::string& at) {
      return read_instance(one, at, file);
    };
    if (auto done = for_list(infrastructure, "instances", where, instance); !done)
      return tl::unexpected(done.error());
  }
  if (auto done = complete_instances(file, where); !done) return tl::unexpected(done.error());
  return file;
}

}  // namespace orrery::platform::infragraph

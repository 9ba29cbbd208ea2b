// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/catalog.h"

#include <algorithm>

#include "orrery/config/built_in_list.h"
#include "orrery/config/parameters.h"
#include "orrery/core/text/suggest.h"
#include "orrery/platform/catalog/aliases.h"

namespace orrery::platform {

// cmake/OrreryEmbed.cmake
extern const std::string_view kDevicesText;
extern const std::string_view kLinksText;

namespace {

config::BuiltInList<DeviceEntry>& device_list() {
  static config::BuiltInList<DeviceEntry> list(config::split_entries(kDevicesText));
  return list;
}

config::BuiltInList<LinkEntry>& link_list() {
  static config::BuiltInList<LinkEntry> list(config::split_entries(kLinksText));
  return list;
}

template <class Entry>
std::string hint_for(std::string_view unknown, std::span<const Entry> entries) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  const std::string near = did_you_mean(unknown, names);
  return near.empty() ? "the catalog has " + join(names) : near;
}

}  // namespace

std::string_view name(Architecture architecture) { return config::enum_name(architecture); }

const Peak* DeviceEntry::peak(std::string_view precision) const {
  for (const Peak& each : peaks) {
    if (each.precision == precision) return &each;
  }
  return nullptr;
}

std::span<const DeviceEntry> devices() { return device_list().all(); }
std::span<const LinkEntry> links() { return link_list().all(); }

const DeviceEntry* find_device(std::string_view name) {
  if (const DeviceEntry* entry = device_list().find(name)) return entry;
  const std::string_view known = name_of_alias(device_aliases(), name);
  return known.empty() ? nullptr : device_list().find(known);
}
const LinkEntry* find_link(std::string_view name) { return link_list().find(name); }

std::string device_hint(std::string_view unknown) { return hint_for(unknown, devices()); }
std::string link_hint(std::string_view unknown) { return hint_for(unknown, links()); }

const DeviceEntry* find_device_by_driver(std::string_view name) {
  for (const DeviceEntry& each : devices())
    if (std::find(each.drivers.begin(), each.drivers.end(), name) != each.drivers.end())
      return &each;
  return nullptr;
}

Result<std::vector<DeviceEntry>> read_devices(std::string_view yaml) {
  std::vector<DeviceEntry> read;
  for (const config::EntryText& text : config::split_entries(yaml)) {
    Result<DeviceEntry> entry = config::read_entry<DeviceEntry>(text);
    if (!entry) return tl::unexpected(std::move(entry.error()));
    read.push_back(*std::move(entry));
  }
  return read;
}

Result<void> check_catalog() {
  if (Result<void> fine = device_list().check(); !fine) return fine;
  return link_list().check();
}

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// Clusters without a file: "h100-sxm:64" is so many of a device, put together as its maker does.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/suggest.h"
#include "orrery/core/units.h"
#include "orrery/platform/catalogue.h"
#include "orrery/platform/cluster.h"

namespace orrery::platform {
namespace {

struct Asked {
  std::string_view device;
  std::string_view count;
};

/// What stands before and after the last colon; nothing after it where there is none.
Asked parts_of(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Devices that may have been meant.
std::string nearest_devices(std::string_view word) {
  std::vector<std::string_view> names, longer;
  for (const DeviceEntry& each : devices()) {
    names.push_back(each.name);
    if (!word.empty() && each.name.starts_with(word)) longer.push_back(each.name);
  }
  if (!longer.empty()) return "the catalogue has " + join(longer);
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "the catalogue has " + join(names) : near;
}

/// Nothing for what is no count of devices.
std::optional<std::int64_t> count_of(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 ||
      count > static_cast<std::int64_t>(limits::kRanks))
    return std::nullopt;
  return count;
}

std::string dimension_text(Block block, std::int64_t size, std::string_view link, double ports) {
  std::string bandwidth;
  if (ports != 1) {
    const double each = find_link(link)->bandwidth.count() * ports;
    bandwidth = fmt::format(", bandwidth: {} B/s", std::llround(each));
  }
  return fmt::format("  - {{block: {}, size: {}, link: {}{}}}\n", name(block), size, link,
                     bandwidth);
}

}  // namespace

bool names_catalogue_cluster(std::string_view name) {
  const Asked asked = parts_of(name);
  return find_device(asked.device) != nullptr ||
         (all_digits(asked.count) && asked.device.find('/') == std::string_view::npos);
}

Result<std::string> catalogue_cluster(std::string_view name, Findings& findings) {
  const Asked asked = parts_of(name);
  const std::string where(name);
  const DeviceEntry* device = find_device(asked.device);
  if (device == nullptr) {
    return fail(Errc::config_range, where,
                fmt::format("is no file, and no device is called '{}'", asked.device),
                nearest_devices(asked.device));
  }
  const Build& build = device->build;
  if (build.island == 0) {
    return fail(Errc::config_missing_key, where,
                fmt::format("there is no usual network for {}", device->title),
                "write a cluster file; examples are in examples/clusters");
  }
  const std::optional<std::int64_t> count = count_of(asked.count);
  if (!count) {
    return fail(Errc::config_range, where,
                fmt::format("does not say how many devices, 1 to {}", limits::kRanks),
                fmt::format("for example {}:{}", device->name, 8 * build.island));
  }
  const std::int64_t islands = *count / build.island;
  if (islands > 0 && *count % build.island != 0) {
    return fail(
        Errc::config_range, where,
        fmt::format("{} devices do not fill islands of {}", format_count(*count), build.island),
        fmt::format("give {0}:{1} or {0}:{2}; any other shape is a matter of a cluster "
                    "file",
                    device->name, islands * build.island, (islands + 1) * build.island));
  }
  const std::int64_t inner = std::min(*count, build.island);
  std::string text =
      fmt::format("version: 1\nname: \"{}\"\ndevice: {}\nnetwork:\n", name, device->name);
  text += dimension_text(build.block, inner, build.scale_up, 1);
  std::string said =
      fmt::format("{} {}: {} by {}", format_count(*count), device->name, inner, build.scale_up);
  if (islands > 1) {
    text += dimension_text(Block::switched, islands, build.scale_out, build.ports);
    said += fmt::format(" x {} by {}", format_count(islands), build.scale_out);
  }
  findings.add(FindingCode::cluster_from_catalogue, said);
  return text;
}

}  // namespace orrery::platform

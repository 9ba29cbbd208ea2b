// SPDX-License-Identifier: Apache-2.0
//
// Clusters without a file: "h100-sxm:64" is so many of a device, put together as its maker does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/aliases.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform {
namespace {

struct ClusterName {
  std::string_view device;
  std::string_view count;
};

/// The text before and after the last colon; without a colon, all of it is before. "dgx-h100" is
/// "h100-sxm:8".
ClusterName split_name(std::string_view name) {
  if (const std::string_view known = name_of_alias(cluster_aliases(), name); !known.empty())
    name = known;
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return {name, {}};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Proposes devices with similar names.
std::string nearest_devices(std::string_view word) {
  std::vector<std::string_view> longer;
  for (const DeviceEntry& each : devices()) {
    if (!word.empty() && each.name.starts_with(word)) longer.push_back(each.name);
  }
  return longer.empty() ? device_hint(word) : "the catalog has " + join(longer);
}

/// Empty: not a number of devices.
std::optional<std::int64_t> count_of(std::string_view text) {
  const auto count = whole_number(text);
  if (!count || *count < 1 || *count > limits::kRanks) return std::nullopt;
  return static_cast<std::int64_t>(*count);
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

/// Google Cloud TPU v4 and v5p documentation: sides are multiples of 4, below 64 chips also 1
/// and 2.
bool is_side(std::int64_t side) { return side <= 2 || side % 4 == 0; }

/// The shortest side first; empty where there is none whose longest side is at most twice its
/// shortest.
std::vector<std::int64_t> even_sides(std::int64_t count, std::int64_t dimensions,
                                     std::int64_t minimum = 1) {
  if (dimensions == 1) return is_side(count) ? std::vector{count} : std::vector<std::int64_t>();
  std::vector<std::int64_t> best;
  for (std::int64_t side = minimum; side * side <= count; ++side) {
    if (count % side != 0 || !is_side(side)) continue;
    std::vector<std::int64_t> sides = even_sides(count / side, dimensions - 1, side);
    if (sides.empty() || sides.front() < side || sides.back() > 2 * side) continue;
    sides.insert(sides.begin(), side);
    if (best.empty() || sides.back() - sides.front() <= best.back() - best.front())
      best = std::move(sides);
  }
  return best;
}

/// Sides of more than one device.
std::vector<std::int64_t> island_sides(const SystemDesign& build, std::int64_t count) {
  if (build.dimensions == 1) return {count};
  std::vector<std::int64_t> sides = even_sides(count, build.dimensions);
  if (sides.size() > 1) std::erase(sides, 1);
  if (sides.empty() && count == 1) sides = {1};
  return sides;
}

/// "give h100-sxm:8 or h100-sxm:16": the nearest counts of which islands can be made.
std::string nearest_counts(const DeviceEntry& device, std::int64_t count) {
  const SystemDesign& build = device.build;
  std::string hint;
  const auto offer = [&](std::int64_t other) {
    hint += fmt::format("{} {}:{}", hint.empty() ? "give" : " or", device.name, other);
  };
  if (count > build.island) {
    offer(count / build.island * build.island);
    if (!build.scale_out.empty()) offer((count / build.island + 1) * build.island);
    return hint + "; for any other shape, write a cluster file";
  }
  for (const std::int64_t step : {-1, 1}) {
    std::int64_t other = count + step;
    while (other > 1 && other < build.island && island_sides(build, other).empty()) other += step;
    offer(other);
  }
  return hint + "; for any other shape, write a cluster file";
}

/// The requested device of the catalog, with a reference design.
Result<const DeviceEntry*> device_of(const ClusterName& request, const std::string& where) {
  const DeviceEntry* device = find_device(request.device);
  if (device == nullptr) {
    return fail(Errc::config_range, where,
                fmt::format("is not a file, and the catalog has no device '{}'", request.device),
                nearest_devices(request.device));
  }
  if (device->build.island == 0) {
    return fail(Errc::config_missing_key, where,
                fmt::format("the catalog has no reference network for {}", device->title),
                "write a cluster file; examples are in examples/clusters");
  }
  return device;
}

/// Whether so many of it make islands.
Result<void> check_count(const DeviceEntry& device, std::int64_t count, const std::string& where) {
  const SystemDesign& build = device.build;
  const bool exceeds_island = count > build.island;
  if (exceeds_island && build.scale_out.empty()) {
    return fail(
        Errc::config_range, where,
        fmt::format("the largest machine of {} has {} devices", device.title,
                    format_count(build.island)),
        fmt::format("use {}:{} or less, or write a cluster file", device.name, build.island));
  }
  if (exceeds_island && count % build.island != 0) {
    return fail(Errc::config_range, where,
                fmt::format("{} devices are not a multiple of the island size {}",
                            format_count(count), build.island),
                nearest_counts(device, count));
  }
  if (!exceeds_island && island_sides(build, count).empty()) {
    return fail(Errc::config_range, where,
                fmt::format("{} devices do not form an even torus of {} dimensions",
                            format_count(count), build.dimensions),
                nearest_counts(device, count));
  }
  return {};
}

}  // namespace

bool is_catalog_cluster(std::string_view name) {
  const ClusterName request = split_name(name);
  return find_device(request.device) != nullptr ||
         (all_digits(request.count) && request.device.find('/') == std::string_view::npos);
}

Result<std::string> catalog_cluster(std::string_view name, Findings& findings) {
  const ClusterName request = split_name(name);
  const std::string where(name);
  const Result<const DeviceEntry*> found = device_of(request, where);
  if (!found) return tl::unexpected(found.error());
  const DeviceEntry& device = **found;
  const SystemDesign& build = device.build;
  const std::optional<std::int64_t> count = count_of(request.count);
  if (!count) {
    return fail(Errc::config_range, where,
                fmt::format("does not specify the number of devices, 1 to {}", limits::kRanks),
                fmt::format("for example {}:{}", device.name,
                            build.scale_out.empty() ? build.island : 8 * build.island));
  }
  if (const Result<void> fine = check_count(device, *count, where); !fine)
    return tl::unexpected(fine.error());
  const std::int64_t islands = *count / build.island;
  std::string text =
      fmt::format("version: 1\nname: \"{0}:{1}\"\ndevice: {0}\nnetwork:\n", device.name, *count);
  std::string sides;
  for (const std::int64_t side : island_sides(build, std::min(*count, build.island))) {
    text += dimension_text(build.block, side, build.scale_up, 1);
    sides += fmt::format("{}{}", sides.empty() ? "" : " x ", side);
  }
  std::string description =
      fmt::format("{} {}: {} by {}", format_count(*count), device.name, sides, build.scale_up);
  if (islands > 1) {
    text += dimension_text(Block::switched, islands, build.scale_out, build.ports);
    description += fmt::format(" x {} by {}", format_count(islands), build.scale_out);
  }
  findings.add(FindingCode::cluster_from_catalog, description);
  return text;
}

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/cluster_sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

namespace orrery::validate {

namespace {

using platform::DeviceEntry;

/// Splits text into lower-case words and numbers: "A100-80GB SXM4" → a100 80gb sxm4.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.insert(word);
    word.clear();
  };
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      word += static_cast<char>(std::tolower(letter));
    } else {
      end();
    }
  }
  end();
  return words;
}

/// Families of devices, and the usual variant in clusters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUsualVariants = {{
    {"v100", "v100-sxm2"},
    {"a100", "a100-80gb"},
    {"h100", "h100-sxm"},
    {"h200", "h200-sxm"},
    {"gh200", "gh200"},
    {"trillium", "tpu-v6e"},
}};

/// Whether a word distinguishes devices of one family.
bool is_variant_word(const std::string& word) { return word == "pcie" || word == "40gb"; }

bool contains_words(const std::set<std::string>& words, const std::set<std::string>& text) {
  return std::includes(text.begin(), text.end(), words.begin(), words.end());
}

}  // namespace

const DeviceEntry* match_device(std::string_view text) {
  if (const DeviceEntry* exact = platform::find_device(text)) return exact;
  if (const DeviceEntry* driver = platform::find_device_by_driver(text)) return driver;
  const std::set<std::string> text_words = words_of(text);
  // Choose the device whose name has the most words, all of which occur in the text.
  const DeviceEntry* best = nullptr;
  std::size_t most = 0;
  for (const DeviceEntry& device : platform::devices()) {
    const std::set<std::string> words = words_of(device.name);
    if (words.size() > most && contains_words(words, text_words)) {
      best = &device;
      most = words.size();
    }
  }
  if (best != nullptr) return best;
  for (const auto& [family, usual] : kUsualVariants) {
    if (!text_words.contains(std::string(family))) continue;
    if (std::any_of(text_words.begin(), text_words.end(), is_variant_word)) return nullptr;
    return platform::find_device(usual);
  }
  return nullptr;
}

Result<std::string> cluster_sketch_file(const ClusterSketch& sketch, const std::string& where) {
  const DeviceEntry* device = match_device(sketch.gpu);
  if (device == nullptr)
    return fail(Errc::input_unsupported, where, fmt::format("no device '{}'", sketch.gpu),
                "docs/reference/catalog.md lists the names");
  const std::int64_t island =
      sketch.island_devices > 0 ? std::min(sketch.island_devices, sketch.devices) : sketch.devices;
  if (sketch.devices < 1 || sketch.devices % island != 0)
    return fail(
        Errc::input_range, where,
        fmt::format("{} devices cannot be divided into islands of {}", sketch.devices, island));
  std::string dims;
  const auto dimension = [&](std::int64_t size, double rate, std::string_view latency) {
    dims += fmt::format("  - {{block: switch, size: {}, bandwidth: {} GB/s, latency: {}}}\n", size,
                        rate, latency);
  };
  const std::int64_t islands = sketch.devices / island;
  if (island > 1 || sketch.devices == 1) dimension(island, sketch.island_bandwidth, "500 ns");
  if (islands > 1) dimension(islands, sketch.network_bandwidth, "2 us");
  if ((island > 1 && !(sketch.island_bandwidth > 0)) ||
      (islands > 1 && !(sketch.network_bandwidth > 0)))
    return fail(Errc::input_range, where, "a bandwidth is missing",
                "give nvl and ib: GB/s of a device inside and between islands");
  if (sketch.devices == 1 && !(sketch.island_bandwidth > 0))
    dims = "  - {block: switch, size: 1, bandwidth: 1 GB/s, latency: 0 ns}\n";
  return fmt::format("version: 1\nname: {}\ndevice: {}\nnetwork:\n{}", device->name, device->name,
                     dims);
}

}  // namespace orrery::validate

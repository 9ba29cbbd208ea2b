// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/cluster_sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

namespace orrery::validate {

namespace {

using platform::DeviceEntry;

/// Lower-case words and numbers, apart: "A100-80GB SXM4" → a100 80gb sxm4.
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

/// What stands for several devices, and which of them clusters are built of.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUsual = {{
    {"v100", "v100-sxm2"},
    {"a100", "a100-80gb"},
    {"h100", "h100-sxm"},
    {"h200", "h200-sxm"},
    {"gh200", "gh200"},
    {"trillium", "tpu-v6e"},
}};

/// Words that tell devices of one family apart.
bool tells_apart(const std::string& word) { return word == "pcie" || word == "40gb"; }

bool all_in(const std::set<std::string>& words, const std::set<std::string>& text) {
  return std::includes(text.begin(), text.end(), words.begin(), words.end());
}

}  // namespace

const DeviceEntry* match_device(std::string_view text) {
  if (const DeviceEntry* exact = platform::find_device(text)) return exact;
  if (const DeviceEntry* driver = platform::find_device_by_driver(text)) return driver;
  const std::set<std::string> there = words_of(text);
  // All words of a name: the one with the most wins.
  const DeviceEntry* best = nullptr;
  std::size_t most = 0;
  for (const DeviceEntry& device : platform::devices()) {
    const std::set<std::string> words = words_of(device.name);
    if (words.size() > most && all_in(words, there)) {
      best = &device;
      most = words.size();
    }
  }
  if (best != nullptr) return best;
  for (const auto& [family, usual] : kUsual) {
    if (!there.contains(std::string(family))) continue;
    if (std::any_of(there.begin(), there.end(), tells_apart)) return nullptr;
    return platform::find_device(usual);
  }
  return nullptr;
}

Result<std::string> cluster_sketch_file(const ClusterSketch& sketch, const std::string& where) {
  const DeviceEntry* device = match_device(sketch.gpu);
  if (device == nullptr)
    return fail(Errc::input_unsupported, where, fmt::format("no device '{}'", sketch.gpu),
                "the names are in docs/reference/catalogue.md");
  const std::int64_t island = sketch.dom > 0 ? std::min(sketch.dom, sketch.n) : sketch.n;
  if (sketch.n < 1 || sketch.n % island != 0)
    return fail(Errc::input_range, where,
                fmt::format("{} devices are not islands of {}", sketch.n, island));
  std::string dims;
  const auto dimension = [&](std::int64_t size, double rate, std::string_view latency) {
    dims += fmt::format("  - {{block: switch, size: {}, bandwidth: {} GB/s, latency: {}}}\n", size,
                        rate, latency);
  };
  const std::int64_t islands = sketch.n / island;
  if (island > 1 || sketch.n == 1) dimension(island, sketch.nvl, "500 ns");
  if (islands > 1) dimension(islands, sketch.ib, "2 us");
  if ((island > 1 && !(sketch.nvl > 0)) || (islands > 1 && !(sketch.ib > 0)))
    return fail(Errc::input_range, where, "a bandwidth is missing",
                "nvl and ib: GB/s of a device inside and between islands");
  if (sketch.n == 1 && !(sketch.nvl > 0))
    dims = "  - {block: switch, size: 1, bandwidth: 1 GB/s, latency: 0 ns}\n";
  return fmt::format("version: 1\nname: {}\ndevice: {}\nnetwork:\n{}", device->name, device->name,
                     dims);
}

}  // namespace orrery::validate

// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/json_keys.h"

#include <algorithm>
#include <array>
#include <vector>

namespace orrery::report {

namespace {

constexpr std::array<std::string_view, 13> kNameUnits = {"flop_per_byte",
                                                         "flop_per_s",
                                                         "bytes_per_s",
                                                         "samples_per_s",
                                                         "tokens_per_s",
                                                         "items_per_s",
                                                         "bytes",
                                                         "flop",
                                                         "ns",
                                                         "hz",
                                                         "s",
                                                         "w",
                                                         "j"};

}  // namespace

std::span<const JsonKey> json_keys() {
  static const std::vector<JsonKey> keys = [] {
    std::vector<JsonKey> all;
    for (const auto part :
         {quantity_keys(), count_keys(), ratio_keys(), text_keys(), object_keys(), list_keys()})
      all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end(),
              [](const JsonKey& a, const JsonKey& b) { return a.name < b.name; });
    return all;
  }();
  return keys;
}

const JsonKey* json_key(std::string_view name) {
  const auto keys = json_keys();
  const auto found = std::lower_bound(
      keys.begin(), keys.end(), name,
      [](const JsonKey& key, std::string_view wanted) { return key.name < wanted; });
  return found != keys.end() && found->name == name ? &*found : nullptr;
}

std::string_view unit_of(std::string_view name) {
  for (const std::string_view unit : kNameUnits) {
    if (name == unit) return unit;
    if (name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_') return unit;
  }
  return {};
}

}  // namespace orrery::report

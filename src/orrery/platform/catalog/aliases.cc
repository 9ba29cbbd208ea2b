// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/aliases.h"

#include "orrery/config/built_in_list.h"

namespace orrery::platform {

namespace {

constexpr Alias kDevices[] = {
    {"v100", "v100-sxm2"},
    {"a100", "a100-80gb"},
    {"a100-sxm", "a100-80gb"},
    {"a100-sxm4-80gb", "a100-80gb"},
    {"a100-sxm4-40gb", "a100-40gb"},
    {"h100", "h100-sxm"},
    {"h100-sxm5", "h100-sxm"},
    {"h100-80gb", "h100-sxm"},
    {"h200", "h200-sxm"},
    {"b200-sxm", "b200"},
    {"b300-sxm", "b300"},
    {"gb200-nvl72", "gb200"},
    {"gb300-nvl72", "gb300"},
    {"gh200-96gb", "gh200"},
    {"a6000", "rtx-a6000"},
    {"rtx-pro-6000", "rtx-pro-6000-server"},
    {"mi300", "mi300x"},
    {"mi325", "mi325x"},
    {"mi350", "mi350x"},
    {"mi355", "mi355x"},
    {"mi250", "mi250x"},
    {"trillium", "tpu-v6e"},
    {"ironwood", "tpu-v7x"},
    {"tpu-v7", "tpu-v7x"},
    {"tpu-v6", "tpu-v6e"},
    {"v4", "tpu-v4"},
    {"v5e", "tpu-v5e"},
    {"v5p", "tpu-v5p"},
    {"v6e", "tpu-v6e"},
    {"trn2", "trainium2"},
};

constexpr Alias kClusters[] = {
    {"dgx-a100", "a100-80gb:8"}, {"dgx-h100", "h100-sxm:8"},  {"hgx-h100", "h100-sxm:8"},
    {"dgx-h200", "h200-sxm:8"},  {"hgx-h200", "h200-sxm:8"},  {"dgx-b200", "b200:8"},
    {"hgx-b200", "b200:8"},      {"dgx-b300", "b300:8"},      {"hgx-b300", "b300:8"},
    {"gb200-nvl72", "gb200:72"}, {"gb300-nvl72", "gb300:72"}, {"dgx-gb200", "gb200:72"},
    {"dgx-gb300", "gb300:72"},
};

}  // namespace

std::span<const Alias> device_aliases() { return kDevices; }
std::span<const Alias> cluster_aliases() { return kClusters; }

std::string_view name_of_alias(std::span<const Alias> aliases, std::string_view alias) {
  const std::string plain = config::plain_spelling(alias);
  for (const Alias& each : aliases)
    if (config::plain_spelling(each.alias) == plain) return each.name;
  return {};
}

std::string aliases_of(std::span<const Alias> aliases, std::string_view name) {
  std::string text;
  for (const Alias& each : aliases)
    if (each.name == name) {
      if (!text.empty()) text += ", ";
      text += each.alias;
    }
  return text;
}

}  // namespace orrery::platform

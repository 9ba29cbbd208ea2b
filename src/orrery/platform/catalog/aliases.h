// SPDX-License-Identifier: Apache-2.0
//
// Other names of devices and clusters, which people type: "h100", "gb200-nvl72".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery::platform {

struct Alias {
  std::string_view alias, name;
};

/// Of devices: "h100" is "h100-sxm".
[[nodiscard]] std::span<const Alias> device_aliases();
/// Of clusters with their number of devices: "dgx-h100" is "h100-sxm:8".
[[nodiscard]] std::span<const Alias> cluster_aliases();

/// The name of which `alias` is another one, however it is spelled; empty: none.
[[nodiscard]] std::string_view name_of_alias(std::span<const Alias> aliases,
                                             std::string_view alias);

/// The aliases of a name, separated by ", ".
[[nodiscard]] std::string aliases_of(std::span<const Alias> aliases, std::string_view name);

}  // namespace orrery::platform

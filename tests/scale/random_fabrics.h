// SPDX-License-Identifier: Apache-2.0
//
// Random fabrics, whose links are shared.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/platform/platform.h"
#include "random_choices.h"

namespace orrery::scale {

struct FabricMachine {
  std::string text;  ///< the fabric
  platform::Platform platform;
};

/// Fat trees, rails, tori, meshes and switches of `ranks` devices, each on its own host or four to
/// one. Tori and meshes only for multiples of 4. Their collectives have no algorithms yet.
[[nodiscard]] FabricMachine draw_fabric(Draw& draw, std::int64_t ranks);

}  // namespace orrery::scale

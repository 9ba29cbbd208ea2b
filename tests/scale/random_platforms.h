// SPDX-License-Identifier: Apache-2.0
//
// Random platforms.
#pragma once

#include "orrery/platform/platform.h"
#include "random_choices.h"

namespace orrery::scale {

/// One to three dimensions of all kinds, 2 to 64 ranks, every algorithm, order and delay there is.
[[nodiscard]] platform::Platform draw_machine(Draw& draw);

/// Some ranks are slow, late, or behind bad ports; mostly the same ones in all groups of `alike`
/// ranks, so that others stay alike.
void draw_deviations(Draw& draw, platform::Platform& machine, std::uint32_t equivalent);

}  // namespace orrery::scale

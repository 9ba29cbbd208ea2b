// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The bandwidth of a device's memory and the one beside it together, where `beyond` (0 to 1) of
/// all bytes lie in the latter, and of those of every kernel alike. In turn: 1 / ((1 - beyond) /
/// own + beyond / beside); at once: the slower of own / (1 - beyond) and beside / beyond. That of
/// its own where nothing is beyond, or nothing is beside it. Source: COMET (arXiv 2211.16648),
/// whose nodes have such memories; its formula is not at hand, this one follows from bytes that are
/// spread evenly.
[[nodiscard]] Bandwidth expanded_bandwidth(const platform::Device& device, double beyond);

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// A curve through points of a library that changes what it runs from one size to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::model {

/// What a library runs at a size (algorithm and protocol), as any number; nothing where that is not
/// known.
using ProtocolAt = std::function<std::optional<int>(std::int64_t bytes)>;

/// curve_through(), but for neighbours between which what runs changes. There the line of the
/// smaller one and the point before it goes on up to the change (by bisection), and from there the
/// line of the larger one and the point behind it; where the two lines meet before, they change
/// there. A library chooses by a model of its own, so that times may jump: within a
/// millionth of the size, a byte at least.
///
/// The straight line stays where either side has no such neighbour that runs the same, where
/// something else runs in between, and where the larger size is the faster one. Times never leave
/// those of the two points, and between them they never fall.
///
/// `points` ascend in size and are positive; an empty `runs_at` gives curve_through().
/// O(points * log size) questions to it.
[[nodiscard]] SizeCurve curve_with_protocol_changes(std::span<const SizedTime> points,
                                                    const ProtocolAt& runs_at);

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// A curve through measured points of a library that changes its protocol with the size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "orrery/model/collective/curves/size_curve.h"

namespace orrery::model {

/// A number that identifies the algorithm and protocol that a library runs at a size. Empty:
/// unknown.
using ProtocolAt = std::function<std::optional<int>(std::int64_t bytes)>;

/// Like curve_through(), except between two neighboring points at which the library runs different
/// protocols. There the line through the smaller point and the point before it continues up to the
/// change, which is found by bisection. From the change on, the line through the larger point and
/// the point after it holds. If the two lines meet before the change, the curve changes there.
/// Because a library chooses by its own model, times may jump at a change; the jump is as wide as a
/// millionth of the size, at least one byte.
///
/// The straight line between both points remains if the neighbor on either side runs another
/// protocol or does not exist, if a third protocol runs in between, or if the larger size is
/// faster. Times between both points stay within their times and never decrease.
///
/// `points` ascend in size and are positive. An empty `runs_at` gives curve_through().
/// O(points * log size) calls of `runs_at`.
[[nodiscard]] SizeCurve curve_with_protocol_changes(std::span<const SizedTime> points,
                                                    const ProtocolAt& runs_at);

}  // namespace orrery::model

// SPDX-License-Identifier: Apache-2.0
//
// The widest part of a step's prediction interval.
#pragma once

#include <span>
#include <string>

#include "orrery/result/run.h"

namespace orrery::analysis {

/// The class that widens the interval most, and by how much: "between releases (-4 to +18 % of the
/// step)". Empty if the step has no interval. O(classes).
[[nodiscard]] std::string widest_term_text(std::span<const result::ErrorClass> classes, Time step);

}  // namespace orrery::analysis

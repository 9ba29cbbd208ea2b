// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "orrery/profile/scopes/scopes.h"

namespace orrery::profile {

/// Layer number, from 0, by the name of the layer's range.
using LayerNumbers = std::unordered_map<StringId, std::int32_t>;

/// Finds the ranges that are layers, by the rules of find_scopes. `of`: scopes with known phases.
/// O(events).
[[nodiscard]] LayerNumbers layer_numbers(const Profile& profile, const std::vector<StepScope>& of);

}  // namespace orrery::profile

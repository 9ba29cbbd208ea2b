// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "orrery/profile/scopes/scopes.h"

namespace orrery::profile {

/// Of ranges that are layers, by their names; from 0.
using LayerNumbers = std::unordered_map<StringId, std::int32_t>;

/// As find_scopes says. `of`: phases are known. O(events).
[[nodiscard]] LayerNumbers layer_numbers(const Profile& profile, const std::vector<StepScope>& of);

}  // namespace orrery::profile

// SPDX-License-Identifier: Apache-2.0
//
// Where collective algorithms are registered.
#pragma once

#include <array>

#include "orrery/model/collective/collective_algorithm.h"

namespace orrery::model::algorithms {

[[nodiscard]] const CollectiveAlgorithm& ring();
[[nodiscard]] const CollectiveAlgorithm& direct();
[[nodiscard]] const CollectiveAlgorithm& halving_doubling();
[[nodiscard]] const CollectiveAlgorithm& double_binary_tree();
[[nodiscard]] const CollectiveAlgorithm& in_network();

/// In the order of platform::Algorithm.
inline constexpr std::array kAll{&ring, &direct, &halving_doubling, &double_binary_tree,
                                 &in_network};
static_assert(kAll.size() == platform::kAlgorithms.size());

}  // namespace orrery::model::algorithms

// SPDX-License-Identifier: Apache-2.0
//
// A recording with fewer of its layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "addons/bench/recording/recorded_value.h"
#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

struct FewerLayers {
  std::vector<bool> stays;  ///< by operator
  /// Of operators that stay and work through lists of tensors, of which some items go: by place
  /// among the operators, which items stay.
  std::map<std::size_t, std::vector<bool>> items;
};

/// What stays where so many layers do, the first and the last ones, forward and backward. What is
/// done behind all layers, or in place before them, stays unless the first of its tensors that
/// tells is of layers that go alone: what an optimizer does for a parameter goes with its layer,
/// one after another as well as item by item (_foreach_…). Errc: usage where there are not more
/// layers than that; input_missing_attr where nothing repeats as layers do. As layers_of.
/// O(operators × depth of what hands tensors on).
[[nodiscard]] Result<FewerLayers> with_fewer_layers(const profile::Profile& profile,
                                                    const std::vector<profile::EventId>& operators,
                                                    std::uint32_t layers);

/// How many items an operator of this name works through; 0: it does not work through lists.
[[nodiscard]] std::size_t list_length(std::string_view name,
                                      const std::vector<RecordedValue>& arguments);

/// Leaves these items of all lists that are as long.
void keep_items(const std::vector<bool>& stay, std::vector<RecordedValue>& side);

}  // namespace orrery::bench

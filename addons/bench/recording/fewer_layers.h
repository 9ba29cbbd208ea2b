// SPDX-License-Identifier: Apache-2.0
//
// Reduces a recording to fewer layers.
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
  std::vector<bool> stays;  ///< by operator: whether it stays
  /// For operators on lists of tensors of which some items are removed: by index of the operator,
  /// the items that stay.
  std::map<std::size_t, std::vector<bool>> items;
};

/// Determines what stays if only `layers` layers do: the first and the last ones, forward and
/// backward. An operator outside of layers stays, unless the first of its tensors that belongs to a
/// layer belongs to a removed one. So the optimizer's work for a parameter is removed with its
/// layer, for single tensors and for items of lists (_foreach_…). Errc: usage if there are not more
/// layers than that; input_missing_attr if no layers repeat. As layers_of. O(operators × depth of
/// dependencies through tensors).
[[nodiscard]] Result<FewerLayers> with_fewer_layers(const profile::Profile& profile,
                                                    const std::vector<profile::EventId>& operators,
                                                    std::uint32_t layers);

/// The number of items that an operator with this name processes; 0: it does not process lists.
[[nodiscard]] std::size_t list_length(std::string_view name,
                                      const std::vector<RecordedValue>& arguments);

/// Retains the items in `stay` of all lists of the same length.
void keep_items(const std::vector<bool>& stay, std::vector<RecordedValue>& side);

}  // namespace orrery::bench

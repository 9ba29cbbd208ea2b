// SPDX-License-Identifier: Apache-2.0
//
// Finds the layer of each operator from repetition.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

inline constexpr std::uint32_t kNoLayer = ~std::uint32_t{0};

struct Layers {
  std::uint32_t count = 0;  ///< layers per pass; 0: nothing repeats as layers do
  /// By operator; kNoLayer: before, after or between layers. A layer's backward pass has the same
  /// number.
  std::vector<std::uint32_t> of;
};

/// Finds layers with graph::find_loops, for the sequence of operators by name, types and sizes.
/// Operators below an autograd node are backward; operators of an optimizer belong to no layer. A
/// layer begins where its repetition begins, which may differ from the layer of the model by a
/// shift. Layers are numbered in the order of the forward pass. Errc: limit_exceeded. As
/// fold_repeats.
[[nodiscard]] Result<Layers> layers_of(const profile::Profile& profile,
                                       const std::vector<profile::EventId>& operators);

}  // namespace orrery::bench

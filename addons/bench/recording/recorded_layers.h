// SPDX-License-Identifier: Apache-2.0
//
// Which layer an operator belongs to, by what repeats.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

inline constexpr std::uint32_t kNoLayer = ~std::uint32_t{0};

struct Layers {
  std::uint32_t count = 0;  ///< in one pass; 0: nothing repeats as layers do
  /// By operator; kNoLayer: before, behind or between them. A layer's backward pass has its number.
  std::vector<std::uint32_t> of;
};

/// Layers as graph::find_loops tells them, of operators by name, types and sizes in their order.
/// What runs under an autograd node is backward; an optimizer's operators are of no layer. Where a
/// layer begins is where its repetition does, which may be anywhere in it. Layers are numbered in
/// the order of the forward pass. Errc: limit_exceeded. As fold_repeats.
[[nodiscard]] Result<Layers> layers_of(const profile::Profile& profile,
                                       const std::vector<profile::EventId>& operators);

}  // namespace orrery::bench

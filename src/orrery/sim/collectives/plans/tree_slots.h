// SPDX-License-Identifier: Apache-2.0
//
// Who a member of a phase hears from, in its own words: places of a double binary tree, or keys.
#pragma once

#include <cstdint>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/collective/algorithms/tree_place.h"

namespace orrery::sim {

/// Where another member stands in a double binary tree, as one of its members sees it. Slots of
/// Stream::balances, too: who a message is expected from.
enum TreeSlot : std::uint32_t { kParent, kLeft, kRight, kTreeSlots };

/// The position in slot `slot` of `place`; model::TreePlace::kNone: nobody.
[[nodiscard]] std::uint32_t in_slot(const model::TreePlace& place, std::uint32_t slot);
/// The slot in which `place` has `position`; kTreeSlots: none.
[[nodiscard]] std::uint32_t slot_of(const model::TreePlace& place, std::uint32_t position);
/// The place of a member in the tree that a phase runs.
[[nodiscard]] model::TreePlace tree_place(const model::PhaseSpec& spec, std::uint32_t member);
/// The member that `member` has in a slot of its place.
[[nodiscard]] std::uint32_t member_in(const model::PhaseSpec& spec, std::uint32_t member,
                                      std::uint32_t slot);

/// Whom `member` of a phase has a message with this key from; trees: in this slot.
[[nodiscard]] std::uint32_t sender_of(const model::PhaseSpec& spec, std::uint32_t member,
                                      std::uint32_t key);

}  // namespace orrery::sim

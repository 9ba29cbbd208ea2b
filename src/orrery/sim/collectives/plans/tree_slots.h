// SPDX-License-Identifier: Apache-2.0
//
// The peers of a member of a phase: slots of a double binary tree, or matching keys.
#pragma once

#include <cstdint>

#include "orrery/model/collective/algorithms/phase_spec.h"
#include "orrery/model/collective/algorithms/tree_place.h"

namespace orrery::sim {

/// The relation of another member to a member of a double binary tree. Also indexes
/// Stream::balances, by expected sender.
enum TreeSlot : std::uint32_t { kParent, kLeft, kRight, kTreeSlots };

/// The position in slot `slot` of `place`; model::TreePlace::kNone: the slot is empty.
[[nodiscard]] std::uint32_t in_slot(const model::TreePlace& place, std::uint32_t slot);
/// The slot in which `place` has `position`; kTreeSlots: none.
[[nodiscard]] std::uint32_t slot_of(const model::TreePlace& place, std::uint32_t position);
/// The place of a member in the tree that a phase runs.
[[nodiscard]] model::TreePlace tree_place(const model::PhaseSpec& spec, std::uint32_t member);
/// The member in this slot of `member`'s place.
[[nodiscard]] std::uint32_t member_in(const model::PhaseSpec& spec, std::uint32_t member,
                                      std::uint32_t slot);

/// The sender of `member`'s message with this key; in trees, `key` is a slot.
[[nodiscard]] std::uint32_t sender_of(const model::PhaseSpec& spec, std::uint32_t member,
                                      std::uint32_t key);

}  // namespace orrery::sim

// SPDX-License-Identifier: Apache-2.0
//
// One rank is simulated for all that are alike: what a message to one of them is to the one that
// stands for it.
#pragma once

#include <cstdint>

#include "orrery/model/collective/phase.h"
#include "orrery/model/collective/tree.h"

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

/// Who sends to `receiver` what `from` sends to `to`, a member like it: members of one
/// communicator, in a phase that `spec` describes, with matching key `key` (trees have none).
[[nodiscard]] std::uint32_t sender_to(std::uint32_t receiver, const model::PhaseSpec& spec,
                                      std::uint32_t from, std::uint32_t to, std::uint32_t key);

}  // namespace orrery::sim

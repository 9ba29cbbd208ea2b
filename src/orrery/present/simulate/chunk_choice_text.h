// SPDX-License-Identifier: Apache-2.0
//
// What a model chose for the chunks of a collective, for people and programs.
#pragma once

#include <string>

#include "orrery/core/quantity.h"
#include "orrery/sim/chunk_choice.h"

namespace orrery::present {

/// "31 × 1 0, 33 × 0 1": how many chunks take which dimensions after each other; up to three
/// orders.
[[nodiscard]] std::string chunk_orders_text(const sim::ChunkChoice& choice);
/// "0.07 %": by how much a time is above a bound; "-" where that is 0.
[[nodiscard]] std::string above_bound(Time bound, Time time);
/// "0.07 % above the bound (dimensions 0 1)", of its own time.
[[nodiscard]] std::string chunk_order_bound_text(const sim::ChunkChoice& choice);

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
//
// The chunk orders that a model chose for a collective, as text and as JSON.
#pragma once

#include <string>

#include "orrery/core/quantity.h"
#include "orrery/report/answer/answer.h"
#include "orrery/sim/chunk_choice.h"

namespace orrery::study {

/// "31 × 1 0, 33 × 0 1": numbers of chunks by their order of dimensions; up to three orders.
[[nodiscard]] std::string chunk_orders_text(const sim::ChunkChoice& choice);
/// "0.07 %": how far a time is above a bound; "-" for a bound of 0.
[[nodiscard]] std::string above_bound(Time bound, Time time);

/// States the members of an object. People read one line. The bound is omitted when unknown.
void state_chunk_choice(report::Answer& answer, const sim::ChunkChoice& choice);

}  // namespace orrery::study

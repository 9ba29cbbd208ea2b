// SPDX-License-Identifier: Apache-2.0
//
// What a model chose for the chunks of a collective, as programs read it.
#pragma once

#include "orrery/report/json/json_writer.h"
#include "orrery/sim/chunk_choice.h"

namespace orrery::study {

/// An object. Times in picoseconds; `bound_ps` is left out where it is not known.
void write_chunk_choice(report::JsonWriter& json, const sim::ChunkChoice& choice);

}  // namespace orrery::study

// SPDX-License-Identifier: Apache-2.0
//
// Stores the recorded step, layer and phase of a node (attributes `in_step`, `in_layer`,
// `in_phase`).
#pragma once

#include <vector>

#include "orrery/core/step_scope.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// Adds the known values of `scope`. Other readers ignore these attributes.
void add_scope(const StepScope& scope, std::vector<AttributeRecord>& to);

}  // namespace orrery::trace::chakra

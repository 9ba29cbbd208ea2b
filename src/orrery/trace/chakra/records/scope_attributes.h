// SPDX-License-Identifier: Apache-2.0
//
// Where in a job a node stands (attributes `in_step`, `in_layer`, `in_phase`), for who recorded it.
#pragma once

#include <vector>

#include "orrery/core/step_scope.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// Adds what is said of it. Other readers leave it alone.
void add_scope(const StepScope& scope, std::vector<AttributeRecord>& to);

}  // namespace orrery::trace::chakra

// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/time_source.h"

#include "orrery/core/models/time_source_table.h"

namespace orrery {

std::string_view name(TimeSource source) { return entry(source).name; }

}  // namespace orrery

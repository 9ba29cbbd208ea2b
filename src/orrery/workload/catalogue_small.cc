// SPDX-License-Identifier: Apache-2.0
//
// Dense language models of other makes.
#include <array>

#include "orrery/workload/catalogue_internal.h"

namespace orrery::workload {

std::span<const ModelEntry> small_models() { return {}; }

}  // namespace orrery::workload

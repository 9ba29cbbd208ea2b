// SPDX-License-Identifier: Apache-2.0
//
// The builders of single views.
#pragma once

#include <memory>

#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::study {

[[nodiscard]] std::unique_ptr<ViewBuilder> ranges_view();

}  // namespace orrery::study

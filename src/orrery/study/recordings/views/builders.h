// SPDX-License-Identifier: Apache-2.0
//
// The builders of single views.
#pragma once

#include <memory>

#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::study {

[[nodiscard]] std::unique_ptr<ViewBuilder> operators_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> modules_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> gemms_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> categories_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> collectives_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> launches_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> idle_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> sequences_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> ranges_view();
[[nodiscard]] std::unique_ptr<ViewBuilder> memory_view();

}  // namespace orrery::study

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::model {

/// The reason why graph::parse_kernel rejects `text`, with the nearest valid word. `place`: the
/// place of the text, for the error. Errc: input_corrupt, input_range.
[[nodiscard]] Error kernel_parse_error(std::string_view text, const std::string& place);

}  // namespace orrery::model

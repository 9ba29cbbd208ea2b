// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::model {

/// Why graph::parse_kernel does not read `text`, with the nearest word that would do. `place` is
/// where it stands. Errc: input_corrupt, input_range.
[[nodiscard]] Error kernel_parse_error(std::string_view text, const std::string& place);

}  // namespace orrery::model

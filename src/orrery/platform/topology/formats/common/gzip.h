// SPDX-License-Identifier: Apache-2.0
//
// Fabrics' files may be gzipped.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::platform {

[[nodiscard]] bool is_gzip(std::string_view bytes);

/// What is in it, all members one after another. Errc: input_corrupt, input_truncated,
/// limit_exceeded (limits::kFabricBytes, limits::kInflateRatio).
[[nodiscard]] Result<std::string> gunzip(std::string_view bytes, const std::string& where);

}  // namespace orrery::platform

// SPDX-License-Identifier: Apache-2.0
//
// Decompresses gzipped fabric files.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::platform {

[[nodiscard]] bool is_gzip(std::string_view bytes);

/// The decompressed content of all members. Errc: input_corrupt, input_truncated,
/// limit_exceeded (limits::kFabricBytes, limits::kInflateRatio).
[[nodiscard]] Result<std::string> gunzip(std::string_view bytes, const std::string& where);

}  // namespace orrery::platform

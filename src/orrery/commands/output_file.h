// SPDX-License-Identifier: Apache-2.0
//
// The files that commands write; "-" is stdout.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/system/atomic_file.h"

namespace orrery::commands {

/// As orrery::check_absent(); "-" is always allowed.
[[nodiscard]] Result<void> check_absent(const std::string& path, bool force);

/// Opens an AtomicFile; "-" is stdout. Errc: output_exists, output_failed.
[[nodiscard]] Result<AtomicFile> open_output(const std::string& path, bool force);

/// Writes a complete file or none: a temporary file in the same folder, then a rename. Replacing a
/// file needs `force`. "-" is stdout. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_output(const std::string& path, std::string_view text, bool force);

}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
//
// Where data goes that a command writes: files, and "-" for stdout.
#pragma once

#include <string>

#include "orrery/core/system/atomic_file.h"

namespace orrery::app {

/// orrery::check_absent(); nothing is in the way at "-".
[[nodiscard]] Result<void> check_absent(const std::string& path, bool force);

/// A AtomicFile; "-" is stdout. Errc: output_exists, output_failed.
[[nodiscard]] Result<AtomicFile> open_output(const std::string& path, bool force);

}  // namespace orrery::app

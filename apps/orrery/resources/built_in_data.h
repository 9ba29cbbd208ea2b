// SPDX-License-Identifier: Apache-2.0
//
// The data folder as an archive inside the program, so that a package is a single file.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::app {

/// A tar archive of the folder `data`, compressed by zstd; empty if the program was built without
/// it (ORRERY_PORTABLE is off).
[[nodiscard]] std::string_view built_in_data();

/// Unpacks the folder `data` of `archive` into the user's cache: `<cache>/orrery/<hash of the
/// archive>/data`. The cache is XDG_CACHE_HOME, otherwise HOME/.cache. The folder appears
/// atomically; processes that unpack concurrently get the same one. Errc: output_failed.
[[nodiscard]] Result<std::string> unpacked_data(std::string_view archive);

}  // namespace orrery::app

// SPDX-License-Identifier: Apache-2.0
//
// The data folder as an archive inside the program: packages are one file.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::app {

/// A tar archive, compressed by zstd, of the folder `data`; empty in a program that is built
/// without it (ORRERY_PORTABLE is off).
[[nodiscard]] std::string_view built_in_data();

/// The folder `data` of `archive`, unpacked into the user's cache: `<cache>/orrery/<hash of the
/// archive>/data`. The cache is XDG_CACHE_HOME, else HOME/.cache. The folder appears in one step;
/// processes that unpack at the same time get the same one. Errc: output_failed.
[[nodiscard]] Result<std::string> unpacked_data(std::string_view archive);

}  // namespace orrery::app

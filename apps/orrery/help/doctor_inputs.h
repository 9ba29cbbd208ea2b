// SPDX-License-Identifier: Apache-2.0
//
// Tables and settings that options read: measured kernels, curves, embedding tables, jobs …
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::app {

/// What a file is and what to do with it; FILE stands for the file.
struct OptionFile {
  std::string_view what;
  std::span<const std::string_view> commands;
};

/// The kind of a file that an option or a subcommand reads; empty: none of them. Errc: that of the
/// file's reader, if the file is recognized but damaged.
[[nodiscard]] Result<std::optional<OptionFile>> option_file(const std::string& text,
                                                            const std::string& path);

}  // namespace orrery::app

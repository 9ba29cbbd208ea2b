// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/commands/command.h"

namespace orrery::commands {

/// The file formats with a JSON Schema, including those of commands.
[[nodiscard]] std::vector<SchemaFile> schema_files();

/// The schema, with a trailing newline.
[[nodiscard]] std::string schema_text(const SchemaFile& file, Context& context,
                                      std::string_view command = {});

}  // namespace orrery::commands

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command.h"

namespace orrery::app {

/// The file formats that have a JSON Schema, those of commands too.
[[nodiscard]] std::vector<SchemaFile> schema_files();

/// The schema, with a newline at its end.
[[nodiscard]] std::string schema_text(const SchemaFile& file, const CLI::App& table,
                                      std::string_view command = {});

}  // namespace orrery::app

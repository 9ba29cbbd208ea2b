// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery::app {

struct SchemaFile {
  std::string_view format;  ///< what `orrery schema` calls it
  std::string (*make)();
};

/// The file formats that have a JSON Schema.
[[nodiscard]] std::span<const SchemaFile> schema_files();

/// The schema, with a newline at its end.
[[nodiscard]] std::string schema_text(const SchemaFile& file);

}  // namespace orrery::app

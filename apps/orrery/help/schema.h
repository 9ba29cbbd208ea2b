// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace orrery::app {

struct SchemaFile {
  std::string_view format;  ///< what `orrery schema` calls it
  std::string (*make)() = nullptr;
  /// Instead, of a format that differs by command: of one, or of all where `command` is empty.
  std::string (*of_command)(const CLI::App& table, std::string_view command) = nullptr;
};

/// The file formats that have a JSON Schema.
[[nodiscard]] std::span<const SchemaFile> schema_files();

/// The schema, with a newline at its end.
[[nodiscard]] std::string schema_text(const SchemaFile& file, const CLI::App& table,
                                      std::string_view command = {});

}  // namespace orrery::app

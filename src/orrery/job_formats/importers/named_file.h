// SPDX-License-Identifier: Apache-2.0
//
// Files that a configuration names. Private to this folder.
#pragma once

#include <optional>
#include <string>

namespace orrery::workload {

/// A file that another one names, and its text.
struct NamedFile {
  std::string path;
  std::string text;
};
/// Searches a relative path from the folder of `where` upwards, then its last part beside `where`.
[[nodiscard]] std::optional<NamedFile> file_beside(const std::string& where,
                                                   const std::string& path);

}  // namespace orrery::workload

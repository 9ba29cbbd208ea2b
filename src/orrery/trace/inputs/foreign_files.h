// SPDX-License-Identifier: Apache-2.0
//
// Files of known tools that are not recordings, or have no reader.
#pragma once

#include <string_view>

namespace orrery::trace {

struct ForeignFile {
  std::string_view what;  ///< "a report of Nsight Compute"
  std::string_view hint;  ///< what to give instead, with the command that makes it
  bool is_text = false;   ///< text that another command may read
};

/// The kind of a file whose content no reader recognizes, by its first bytes (after decompression)
/// and its name; null: unknown. O(head).
[[nodiscard]] const ForeignFile* find_foreign_file(std::string_view head, std::string_view path);

}  // namespace orrery::trace

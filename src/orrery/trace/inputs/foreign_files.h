// SPDX-License-Identifier: Apache-2.0
//
// Files of known tools that are not recordings, or have no reader.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::trace {

struct ForeignFile {
  std::string_view what;  ///< "a report of Nsight Compute"
  std::string_view hint;  ///< what to give instead, with the command that makes it
  std::string_view page;  ///< of the documentation, which describes what to give; empty: none
  /// Text that may be another input than a recording: `orrery run` tries its other readers.
  bool may_be_other_input = false;
};

/// The kind of a file whose content no reader recognizes, by its first bytes (after decompression)
/// and its name; null: unknown. O(head).
[[nodiscard]] const ForeignFile* find_foreign_file(std::string_view head, std::string_view path);

/// The kind of a refused format that `format_of` recognizes (see is_refused); null: another format.
[[nodiscard]] const ForeignFile* find_foreign_file(Format format);

/// The error for a file of this kind: input_unsupported, with the hint and the page.
[[nodiscard]] Error foreign_error(const ForeignFile& file, std::string where);

}  // namespace orrery::trace

// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of compiled programs: StableHLO (MLIR's text) and HLO.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/hlo/program/program.h"

namespace orrery::hlo {

/// The forms of text.
enum class TextForm : std::uint8_t {
  none,       ///< another file
  stablehlo,  ///< MLIR's text with operations of StableHLO
  hlo,        ///< text of an HLO module
};

/// The form of a text, from its beginning (some KiB). Says `none` for text that is no program.
[[nodiscard]] TextForm text_form(std::string_view head);

/// Reads a program. Operations that are not in the table are findings (key_without_effect), with
/// the class `unknown`. Errc: input_unsupported for another form, input_corrupt with the line,
/// input_truncated, limit_exceeded. O(text).
[[nodiscard]] Result<Program> read_program(std::string_view text, const std::string& where,
                                           Findings& findings);

/// The reader of one form; as read_program().
[[nodiscard]] Result<Program> read_stablehlo(std::string_view text, const std::string& where,
                                             Findings& findings);
[[nodiscard]] Result<Program> read_hlo_text(std::string_view text, const std::string& where,
                                            Findings& findings);

}  // namespace orrery::hlo

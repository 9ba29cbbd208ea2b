// SPDX-License-Identifier: Apache-2.0
//
// What every --json output has around it:
//   {"orrery": 3, "command": …, "question": {…}, "result": {…}, "findings": […]}
// or "error" in place of "question" and "result".
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {

/// The version of the envelope: changes when a field changes its meaning or goes away.
inline constexpr int kEnvelopeVersion = 3;

/// Everything up to and including `"result": `; the next value written is the result.
void begin_envelope(JsonWriter& json, std::string_view command);
/// The findings and the end.
void end_envelope(JsonWriter& json, const Findings& findings);

/// The whole envelope, with a newline at the end. `write_result(JsonWriter&)` writes the result.
template <typename WriteResult>
[[nodiscard]] std::string envelope(std::string_view command, const Findings& findings,
                                   const WriteResult& write_result) {
  std::string text;
  JsonWriter json(text);
  begin_envelope(json, command);
  write_result(json);
  end_envelope(json, findings);
  text += '\n';  // not copied: of many ranks it is large
  return text;
}

/// An envelope with the question, an object as JSON, before its result. Other text is unchanged.
[[nodiscard]] std::string with_question(std::string envelope, std::string_view question);

/// Code, name, place, text and hint.
void write_error_members(JsonWriter& json, const Error& error);

/// The whole envelope of a command that failed, with a newline at the end.
[[nodiscard]] std::string error_envelope(std::string_view command, const Error& error,
                                         const Findings& findings);

/// One line per finding: count, sentence, first place. For a sheet whose label is "findings".
void add_findings(Sheet& sheet, const Findings& findings, Style style);

}  // namespace orrery::report

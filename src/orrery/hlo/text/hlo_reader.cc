// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/text/read_program.h"
namespace orrery::hlo {
Result<Program> read_hlo_text(std::string_view, const std::string& where, Findings&) {
  return fail(Errc::input_unsupported, where, "is HLO text");
}
}  // namespace orrery::hlo

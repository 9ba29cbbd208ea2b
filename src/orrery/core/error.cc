// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/error.h"

#include <fmt/format.h>

namespace orrery {

std::string to_string(const Error& error) {
  std::string text =
      error.where.empty() ? error.what : fmt::format("{}: {}", error.where, error.what);
  text += fmt::format(" (E{})", static_cast<int>(error.code));
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

std::string_view name(Errc code) {
  switch (code) {
    case Errc::usage:
      return "usage";
    case Errc::config_not_found:
      return "config_not_found";
    case Errc::config_syntax:
      return "config_syntax";
    case Errc::config_unknown_key:
      return "config_unknown_key";
    case Errc::config_missing_key:
      return "config_missing_key";
    case Errc::config_type:
      return "config_type";
    case Errc::config_range:
      return "config_range";
    case Errc::config_unit:
      return "config_unit";
    case Errc::config_conflict:
      return "config_conflict";
    case Errc::output_exists:
      return "output_exists";
    case Errc::output_failed:
      return "output_failed";
    case Errc::input_not_found:
      return "input_not_found";
    case Errc::input_read:
      return "input_read";
    case Errc::input_truncated:
      return "input_truncated";
    case Errc::input_corrupt:
      return "input_corrupt";
    case Errc::input_unsupported:
      return "input_unsupported";
    case Errc::input_duplicate_id:
      return "input_duplicate_id";
    case Errc::input_dangling_dep:
      return "input_dangling_dep";
    case Errc::input_self_edge:
      return "input_self_edge";
    case Errc::input_cycle:
      return "input_cycle";
    case Errc::input_range:
      return "input_range";
    case Errc::input_missing_attr:
      return "input_missing_attr";
    case Errc::input_empty:
      return "input_empty";
    case Errc::input_group:
      return "input_group";
    case Errc::input_unlinked:
      return "input_unlinked";
    case Errc::input_mismatch:
      return "input_mismatch";
    case Errc::stall:
      return "stall";
    case Errc::limit_exceeded:
      return "limit_exceeded";
  }
  return "unknown";
}

int exit_code(Errc code) { return static_cast<int>(code) / 1000 + 1; }

}  // namespace orrery

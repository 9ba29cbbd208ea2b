// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/error.h"

#include <fmt/format.h>

#include <utility>

namespace orrery {
namespace {

constexpr std::pair<Errc, std::string_view> kErrorNames[] = {
    {Errc::usage, "usage"},
    {Errc::config_not_found, "config_not_found"},
    {Errc::config_syntax, "config_syntax"},
    {Errc::config_unknown_key, "config_unknown_key"},
    {Errc::config_missing_key, "config_missing_key"},
    {Errc::config_type, "config_type"},
    {Errc::config_range, "config_range"},
    {Errc::config_unit, "config_unit"},
    {Errc::config_conflict, "config_conflict"},
    {Errc::output_exists, "output_exists"},
    {Errc::output_failed, "output_failed"},
    {Errc::input_not_found, "input_not_found"},
    {Errc::input_read, "input_read"},
    {Errc::input_truncated, "input_truncated"},
    {Errc::input_corrupt, "input_corrupt"},
    {Errc::input_unsupported, "input_unsupported"},
    {Errc::input_duplicate_id, "input_duplicate_id"},
    {Errc::input_dangling_dep, "input_dangling_dep"},
    {Errc::input_self_edge, "input_self_edge"},
    {Errc::input_cycle, "input_cycle"},
    {Errc::input_range, "input_range"},
    {Errc::input_missing_attr, "input_missing_attr"},
    {Errc::input_empty, "input_empty"},
    {Errc::input_group, "input_group"},
    {Errc::input_unlinked, "input_unlinked"},
    {Errc::input_mismatch, "input_mismatch"},
    {Errc::stall, "stall"},
    {Errc::limit_exceeded, "limit_exceeded"},
    {Errc::cancelled, "cancelled"},
    {Errc::defect, "defect"},
};

}  // namespace

std::string to_string(const Error& error) {
  std::string text =
      error.where.empty() ? error.what : fmt::format("{}: {}", error.where, error.what);
  text += fmt::format(" (E{})", static_cast<int>(error.code));
  if (!error.hint.empty()) text += "\n  hint: " + error.hint;
  return text;
}

std::string_view name(Errc code) {
  for (const auto& [known, name] : kErrorNames)
    if (known == code) return name;
  return "unknown";
}

int exit_code(Errc code) {
  if (code == Errc::cancelled) return 130;
  if (code == Errc::defect) return 70;
  return static_cast<int>(code) / 1000 + 1;
}

}  // namespace orrery

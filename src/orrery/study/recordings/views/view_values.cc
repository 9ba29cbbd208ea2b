// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/views/view_values.h"

#include <fmt/format.h>

#include <cstdint>

#include "orrery/report/answer/number_text.h"

namespace orrery::study {

using report::Share;
using report::Value;

Value share_value(Time part, Time whole) {
  if (whole == Time{}) return {};
  return Share{static_cast<double>(part.count()) / static_cast<double>(whole.count())};
}

Value share_value(std::optional<double> share) { return share ? Value(Share{*share}) : Value(); }

Value factor_value(double factor) { return Value(factor).shown(fmt::format("{:.2f}", factor)); }

Value flop_value(double flop) {
  return Value(static_cast<std::int64_t>(flop)).shown(report::scaled_text(flop, "FLOP"));
}

Value text_value(std::string_view text) { return text.empty() ? Value() : Value(text); }

Value operator_value(std::string_view name) {
  return name.empty() ? Value().shown("(no operator)") : Value(name);
}

}  // namespace orrery::study

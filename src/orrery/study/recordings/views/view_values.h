// SPDX-License-Identifier: Apache-2.0
//
// Cells of views: shares, rates and texts that can be unknown.
#pragma once

#include <optional>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/report/answer/value.h"

namespace orrery::study {

/// part / whole; null without a whole.
[[nodiscard]] report::Value share_value(Time part, Time whole);
/// Null if empty.
[[nodiscard]] report::Value share_value(std::optional<double> share);
/// A ratio with two decimals for people.
[[nodiscard]] report::Value factor_value(double factor);
/// A number of FLOPs.
[[nodiscard]] report::Value flop_value(double flop);
/// Null if the text is empty.
[[nodiscard]] report::Value text_value(std::string_view text);
/// The name of an operator. Empty: null, "(no operator)" for people.
[[nodiscard]] report::Value operator_value(std::string_view name);

/// FlopRate or Bandwidth; null if empty.
template <class Rate>
[[nodiscard]] report::Value rate_value(std::optional<double> per_second) {
  return per_second ? report::Value(Rate(*per_second)) : report::Value();
}

}  // namespace orrery::study

// SPDX-License-Identifier: Apache-2.0
//
// Output of `orrery list`: what the catalogue has.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "models", "devices", "links", "clusters", "collectives".
[[nodiscard]] std::vector<std::string_view> catalogue_lists();

/// One list of the catalogue. `filter`: only the entries with this text in their name, aliases or
/// title, without case; empty: all. False if there is none. Precondition: `list` is one of
/// catalogue_lists().
bool state_catalogue(report::Answer& answer, std::string_view list, std::string_view filter);

}  // namespace orrery::present

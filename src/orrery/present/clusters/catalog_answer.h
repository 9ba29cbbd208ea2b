// SPDX-License-Identifier: Apache-2.0
//
// Output of `orrery list`: what the catalog has.
#pragma once

#include <string_view>
#include <vector>

#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// "models", "devices", "links", "clusters", "collectives".
[[nodiscard]] std::vector<std::string_view> catalog_lists();

/// One list of the catalog. `filter`: only the entries with this text in their name, aliases or
/// title, without case; empty: all. False if there is none. Precondition: `list` is one of
/// catalog_lists().
bool state_catalog(report::Answer& answer, std::string_view list, std::string_view filter);

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::present {

/// What is wrong with links, and when: "down", "at 50 % of the bandwidth from 10 ms on", "down for
/// 50 us every 1 ms".
[[nodiscard]] std::string link_fault_text(const platform::LinkFault& fault);

}  // namespace orrery::present

// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info, for dumps of PyTorch's flight recorder.
#pragma once

#include <string>
#include <vector>

#include "orrery/commands/context.h"

namespace orrery::commands {

/// Shows the process groups of the dumps, and which collectives are stuck.
int inspect_flight_records(const std::vector<std::string>& paths, Context& context);

}  // namespace orrery::commands

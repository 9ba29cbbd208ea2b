// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/present/simulate/demo_text.h"
#include "session.h"

namespace orrery::app {

/// `folder`: the program's data.
[[nodiscard]] Result<present::RecordedDemo> run_recorded_demo(const std::string& folder,
                                                              Session& session);

}  // namespace orrery::app

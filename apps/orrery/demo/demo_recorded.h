// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "orrery/present/simulate/demo_answer.h"
#include "session.h"

namespace orrery::app {

/// `folder`: the data of the program.
[[nodiscard]] Result<present::RecordedDemo> run_recorded_demo(const std::string& folder,
                                                              Context& context);

}  // namespace orrery::app

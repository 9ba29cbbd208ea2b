// SPDX-License-Identifier: Apache-2.0
//
// The answer of a search with `orrery infer`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "orrery/explore/serving/service_search.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// The command that serves one setup.
using CommandOf = std::function<std::string(const study::InferQuestion&)>;

/// `rows`: how many setups to show.
void state_service_search(report::Answer& answer, const explore::ServiceSearch& search,
                          std::size_t rows, const CommandOf& command);

}  // namespace orrery::present

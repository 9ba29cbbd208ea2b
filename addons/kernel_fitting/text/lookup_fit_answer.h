// SPDX-License-Identifier: Apache-2.0
//
// The answer of `orrery dlrm lookup fit`.
#pragma once

#include <string>

#include "addons/kernel_fitting/lookup_fit.h"
#include "orrery/report/answer/answer.h"

namespace orrery::present {

/// `path`: the file of the nets.
void state_lookup_fit(report::Answer& answer, const study::LookupFit& fit, const std::string& path);

}  // namespace orrery::present

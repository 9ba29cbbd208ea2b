// SPDX-License-Identifier: Apache-2.0
//
// What `orrery embeddings fit` prints.
#pragma once

#include <string>

#include "addons/kernel_fitting/lookup_fit.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

/// `path`: where the nets are.
[[nodiscard]] std::string lookup_fit_text(const study::LookupFit& fit, const std::string& path,
                                          report::Style style);
[[nodiscard]] std::string lookup_fit_json(const study::LookupFit& fit, const std::string& path);

}  // namespace orrery::present

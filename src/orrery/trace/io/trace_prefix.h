// SPDX-License-Identifier: Apache-2.0
//
// Traces are written as PREFIX.0.et, PREFIX.1.et …, with comm_group.json beside them.
#pragma once

#include <string>

#include "orrery/core/error.h"

namespace orrery::trace {

/// Errc::usage where `prefix` names no file; unless `force`, Errc::output_exists where a trace of
/// that prefix, or groups beside it, would be replaced: a trace must not find another one's groups.
[[nodiscard]] Result<void> check_prefix_unused(const std::string& prefix, bool force);

}  // namespace orrery::trace

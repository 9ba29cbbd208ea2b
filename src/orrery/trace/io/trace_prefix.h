// SPDX-License-Identifier: Apache-2.0
//
// Traces are written as PREFIX.0.et, PREFIX.1.et …, with comm_group.json in the same folder.
#pragma once

#include <string>

#include "orrery/core/error.h"

namespace orrery::trace {

/// Errc: usage if `prefix` names no file. Unless `force`, output_exists if a trace of that prefix,
/// or the group file in its folder, exists: a trace must not be read with the groups of another
/// trace.
[[nodiscard]] Result<void> check_prefix_unused(const std::string& prefix, bool force);

}  // namespace orrery::trace

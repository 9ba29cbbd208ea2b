// SPDX-License-Identifier: Apache-2.0
//
// InfraGraph before schema 1: `type:` instead of `choice:`, and edges as text,
// "cpu.0.fabric.cpu.1".
#pragma once

#include <string>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform::infragraph {

/// Whether the schema of the file is older than 1.
[[nodiscard]] bool is_legacy(const Json& infrastructure);

/// Converts the file to the current schema (legacy_schema). A component without a count gets as
/// many copies as connections refer to. Errc: as parse(); input_unsupported for nested components,
/// because connections do not state which copy they refer to.
[[nodiscard]] Result<Infrastructure> parse_legacy(const Json& infrastructure,
                                                  const std::string& where, Findings& findings);

}  // namespace orrery::platform::infragraph

// SPDX-License-Identifier: Apache-2.0
//
// InfraGraph before schema 1: `type:` for `choice:`, and edges as words, "cpu.0.fabric.cpu.1".
#pragma once

#include <string>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::platform::infragraph {

/// Whether the file is of an older schema than 1.
[[nodiscard]] bool is_legacy(const Json& infrastructure);

/// The same in today's words (legacy_schema). A component whose count is not stated has as many
/// copies as connections name. Errc: as parse(); input_unsupported for components in components,
/// whose connections do not say which copy they mean.
[[nodiscard]] Result<Infrastructure> parse_legacy(const Json& infrastructure,
                                                  const std::string& where, Findings& findings);

}  // namespace orrery::platform::infragraph

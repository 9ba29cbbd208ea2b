// SPDX-License-Identifier: Apache-2.0
//
// Stores findings of a conversion in the converted trace.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/findings.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// An attribute for the trace's metadata: each kind of finding with its count, without places.
/// Other readers ignore it.
[[nodiscard]] AttributeRecord attribute_findings(const Findings& findings);

/// Adds the findings in a trace's metadata (`message`, as in the file) to `findings`, at place
/// `where`. Skips unreadable findings and unknown kinds.
void read_findings(std::string_view message, const std::string& where, Findings& findings);

/// Removes the attribute, because its counts do not apply to a part of the trace. Returns false if
/// there is none.
bool remove_findings(MetadataRecord& metadata);

}  // namespace orrery::trace::chakra

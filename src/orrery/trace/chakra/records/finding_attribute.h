// SPDX-License-Identifier: Apache-2.0
//
// What was found while a trace was made, carried along in it.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/findings.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra {

/// An attribute for the trace's metadata: each kind of finding and how often it was found, no
/// places. Other readers leave it alone.
[[nodiscard]] AttributeRecord attribute_findings(const Findings& findings);

/// Counts what a trace carries along (`message`: its metadata, as in the file), at `where`. What
/// cannot be read, or is of a kind that this program does not know, is left out.
void read_findings(std::string_view message, const std::string& where, Findings& findings);

/// Takes the attribute away: what was found was found in more than what is left. False: there is
/// none.
bool remove_findings(MetadataRecord& metadata);

}  // namespace orrery::trace::chakra

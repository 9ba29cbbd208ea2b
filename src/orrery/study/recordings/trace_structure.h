// SPDX-License-Identifier: Apache-2.0
//
// The detected structure of traces, as a file that the user can correct.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// Parses `layers` and `microbatches`, YAML; omitted values are detected. Errc: config_*, with file
/// and key.
[[nodiscard]] Result<TraceStructure> parse_trace_structure(std::string_view text,
                                                           const std::string& where);
[[nodiscard]] Result<TraceStructure> read_trace_structure(const std::string& path);

/// Writes the detected structure as such a file; a comment replaces a value that was not found.
[[nodiscard]] std::string to_yaml(const graph::Shape& found);

}  // namespace orrery::study

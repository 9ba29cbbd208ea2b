// SPDX-License-Identifier: Apache-2.0
//
// What traces are made of, as a file that somebody may correct.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// `layers` and `microbatches`, YAML; what is left out is as it is found. Errc: config_*, with file
/// and key.
[[nodiscard]] Result<TraceStructure> parse_trace_structure(std::string_view text,
                                                           const std::string& where);
[[nodiscard]] Result<TraceStructure> read_trace_structure(const std::string& path);

/// What was found, as that file; of what was not found a comment says so.
[[nodiscard]] std::string to_yaml(const graph::Shape& found);

}  // namespace orrery::study

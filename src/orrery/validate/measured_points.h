// SPDX-License-Identifier: Apache-2.0
//
// Measured training steps: what ran, on what, and how long a step took.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"

namespace orrery::validate {

/// One of them.
struct MeasuredPoint {
  std::string id;
  std::string source;                ///< who measured it; empty: nobody said
  std::string place;                 ///< where it stands: "runs.csv:12", "runs.json:/points/3"
  std::string model;                 ///< what it is called; may be empty
  std::string gpu;                   ///< as written; may be empty
  double seconds = 0;                ///< a step, measured
  study::Question question;          ///< its job and its cluster
  std::vector<std::string> assumed;  ///< what the source leaves open, and what was taken for it
  std::string skip_reason;           ///< not empty: it cannot be asked, for this reason
};

/// Reads points; plain, gzip or zstd. JSON and YAML: `points`, a list (docs/scoreboard.md has its
/// keys); anything else is CSV: a line of column names, a line for each point. A point that states
/// too little has a `skip_reason`. Errc: input_not_found, input_read, input_empty (no point),
/// input_corrupt, input_truncated, input_missing_attr (no id), input_duplicate_id (an id twice),
/// input_range (a step that is not above 0), config_syntax, config_*, limit_exceeded.
[[nodiscard]] Result<std::vector<MeasuredPoint>> read_points(const std::string& path,
                                                             Findings& findings);
/// The same from text; `where` names it.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points(std::string_view text,
                                                              const std::string& where,
                                                              Findings& findings);

}  // namespace orrery::validate

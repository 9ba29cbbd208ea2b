// SPDX-License-Identifier: Apache-2.0
//
// Measured training steps: job, cluster and step time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"

namespace orrery::validate {

/// One measured step.
struct MeasuredPoint {
  std::string id;
  std::string source;                ///< who measured it; empty: unknown
  std::string place;                 ///< location in the file: "runs.csv:12", "runs.json:/points/3"
  std::string model;                 ///< model name; may be empty
  std::string gpu;                   ///< as written; may be empty
  double seconds = 0;                ///< measured step time
  study::Question question;          ///< job and cluster
  std::vector<std::string> assumed;  ///< values that the source omits, and the assumed values
  std::string skip_reason;           ///< why it cannot be predicted; empty: it can
  bool fitted = true;                ///< whether fit_factors() fits factors to it
};

/// Reads measured points from a plain, gzip or zstd file. JSON and YAML have a list `points`
/// (docs/scoreboard.md lists its keys). Other files are CSV: a line of column names, and a line per
/// point. A point with too little data has a `skip_reason`. Errc: input_not_found, input_read,
/// input_empty (no points), input_corrupt, input_truncated, input_missing_attr (no id),
/// input_duplicate_id, input_range (a step time that is not above 0), config_syntax, config_*,
/// limit_exceeded.
[[nodiscard]] Result<std::vector<MeasuredPoint>> read_points(const std::string& path,
                                                             Findings& findings);
/// The same from text. `where`: its name in errors.
[[nodiscard]] Result<std::vector<MeasuredPoint>> parse_points(std::string_view text,
                                                              const std::string& where,
                                                              Findings& findings);

}  // namespace orrery::validate

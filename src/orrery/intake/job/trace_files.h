// SPDX-License-Identifier: Apache-2.0
//
// The files that the user gives, before their ranks are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {

/// A file of one rank.
struct TraceFile {
  trace::Input input;
  bool is_device = false;
  bool is_capture = false;  ///< of graph captures, in addition to device traces
  TraceOrigin origin;
  std::optional<FileNameRank> file_name_rank;
  std::optional<std::uint32_t> rank;
  std::string rank_from;
  /// The only process of the file that belongs to the rank.
  std::optional<std::int64_t> process = std::nullopt;
};

/// The error for an input that is not a recording of a rank: what it is, and what to do instead.
[[nodiscard]] Error unsupported_error(const trace::Input& input);

/// All files that the patterns match, each once. A file without a trace is an error if the user
/// names it, and is skipped if a pattern or an archive contains traces as well.
[[nodiscard]] Result<std::vector<TraceFile>> find_trace_files(const JobOptions& options,
                                                              Findings& findings);

}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
//
// The files that somebody named, before it is known whose they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {

/// A file that belongs to some rank.
struct TraceFile {
  trace::Input input;
  bool device = false;
  bool capture = false;  ///< of graphs, beside device traces
  TraceOrigin read_origin;
  std::optional<FileNameRank> named;
  std::optional<std::uint32_t> rank;
  std::string from;
  std::optional<std::int64_t> process = std::nullopt;  ///< the only one of the file's that counts
};

/// All files that the patterns name, each once. What is no trace is an error where it is named by
/// itself, and left out where a pattern or an archive has it beside traces.
[[nodiscard]] Result<std::vector<TraceFile>> find_trace_files(const JobOptions& options,
                                                              Findings& findings);

}  // namespace orrery::intake

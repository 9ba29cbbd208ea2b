// SPDX-License-Identifier: Apache-2.0
//
// A part of a trace as a trace of the same format: one iteration, or a window of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {

/// Either an iteration, or a window; with neither, everything.
struct CutOptions {
  std::optional<std::int64_t> iteration;  ///< the N of "ProfilerStep#N"
  std::optional<Time> from;               ///< since the first recorded time
  std::optional<Time> to;                 ///< exclusive
  bool force = false;                     ///< replaces a file that is there
};

struct CutReport {
  std::uint64_t records = 0;  ///< in the file
  std::uint64_t retained = 0;
  std::uint64_t edges_cut = 0;  ///< Chakra: dependencies on what was left out
  Time from{};                  ///< the window that was cut, since the first recorded time
  Time to{};
};

/// Writes the part of `input` to `path` (gzip or zstd by its ending), whole or not at all.
///
/// What the host began inside the window stays; device work stays with the call that launched it,
/// wherever it ran; names and groups stay. Kineto: events as they stand in the file. Execution
/// traces have no times, so only iterations can be cut: the nodes begun between one ProfilerStep
/// and the next, and what they are nested in. Chakra: nodes by start_time_micros, or below the
/// iteration's node. Errc: usage (no such iteration: the ones there are; a window in a trace
/// without times), output_exists, input_unsupported (other formats), and what reading and writing
/// say. Two passes over the file, memory as for reading it.
[[nodiscard]] Result<CutReport> cut(const trace::Input& input, const CutOptions& options,
                                    const std::string& path, Findings& findings);

}  // namespace orrery::intake

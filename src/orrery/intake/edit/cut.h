// SPDX-License-Identifier: Apache-2.0
//
// Extracts a part of a trace into a trace of the same format: one iteration, or a time window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::intake {

/// Either an iteration or a window; with neither, the complete trace.
struct CutOptions {
  std::optional<std::int64_t> iteration;  ///< the N of "ProfilerStep#N"
  std::optional<Time> from;               ///< since the first recorded time
  std::optional<Time> to;                 ///< exclusive
  bool force = false;                     ///< replaces an existing file
};

struct CutReport {
  std::uint64_t records = 0;  ///< in the file
  std::uint64_t retained = 0;
  std::uint64_t edges_cut = 0;  ///< Chakra: dependencies on omitted nodes
  Time from{};                  ///< the window, since the first recorded time
  Time to{};
};

/// Writes the part of `input` to `path` (gzip or zstd by its ending), completely or not at all.
///
/// Events that the host began inside the window are retained. So are the device works that they
/// launched, whenever these ran, and all names and groups.
/// - Kineto: events are copied unchanged.
/// - Execution traces have no times. Therefore only iterations can be cut: the nodes between one
///   ProfilerStep and the next, and the nodes that enclose them.
/// - Chakra: nodes by start_time_micros, or below the node of the iteration.
///
/// Errc: usage (no such iteration: lists the existing ones; a window in a trace without times),
/// output_exists, input_unsupported (other formats), and errors of reading and writing. Reads the
/// file twice, with the memory of a reader.
[[nodiscard]] Result<CutReport> cut(const trace::Input& input, const CutOptions& options,
                                    const std::string& path, Findings& findings);

}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
//
// What becomes of one trace, or of the traces of one job, on its way through everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"

namespace orrery::all_traces {

/// A line of the table.
struct Row {
  std::string name;
  std::string format;
  std::uint32_t ranks = 0;
  std::uint64_t records = 0;
  std::uint64_t events = 0;
  std::uint64_t unaccounted = 0;  ///< records that are neither events nor mapped nor counted
  std::string linked;             ///< "100 %", or "-" without an execution trace
  std::string attached;           ///< device work with an operator
  std::uint64_t nodes = 0;
  std::string successors;      ///< device nodes with a later one on their stream that have one
  std::string communications;  ///< how many; how many with unknown type or size
  std::string agree;           ///< ranks with each other, or "-"
  std::string recorded;        ///< from the first to the last recorded time
  std::string simulated;
  std::string error;  ///< what went wrong, if anything
  Findings findings;
};

/// Reads `files` as one job, converts it into `folder`, reads the result back, checks it against
/// the profile it came from and simulates it.
[[nodiscard]] Row examine_recorded(const std::string& name, const std::vector<std::string>& files,
                                   const std::string& folder);

/// The same for Chakra traces, from reading on. `prefix`, or one file.
[[nodiscard]] Row examine_chakra(const std::string& name, const std::string& path);

}  // namespace orrery::all_traces

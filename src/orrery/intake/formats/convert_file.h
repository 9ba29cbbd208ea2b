// SPDX-License-Identifier: Apache-2.0
//
// Converts Chakra traces to text and back, and workloads of other tools to Chakra traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::intake {

struct ConvertFileOptions {
  std::string to;           ///< a file, or the prefix of several files
  std::int64_t npus = 0;    ///< ASTRA-sim 1.0 text: number of ranks
  std::int64_t passes = 1;  ///< ASTRA-sim 1.0 text: number of iterations
  bool large = false;       ///< allows dot and GraphML of any size
  bool force = false;       ///< replaces existing files
};

/// The result of a conversion, the same for all formats.
struct ConvertedFile {
  std::string to;
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  bool per_rank = true;  ///< `nodes` and `edges` count each rank
  Findings findings;
};

/// Detects the formats from the content of the input and the ending of `to`. Converts a Chakra
/// trace to JSON, dot or GraphML; such JSON to a Chakra trace; ASTRA-sim 1.0 text, PARAM records (a
/// file per rank) and MPI calls to Chakra traces. `patterns`: one trace, or several files of
/// communication records. Errc: usage, input_*, output_*.
[[nodiscard]] Result<ConvertedFile> convert_file(const std::vector<std::string>& patterns,
                                                 const ConvertFileOptions& options);

}  // namespace orrery::intake

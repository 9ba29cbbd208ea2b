// SPDX-License-Identifier: Apache-2.0
//
// Chakra traces to text and back, and from other tools' workloads, whatever the formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::intake {

struct ConvertFileOptions {
  std::string to;           ///< a file, or the prefix of several
  std::int64_t npus = 0;    ///< ASTRA-sim 1.0 text: for so many ranks
  std::int64_t passes = 1;  ///< ASTRA-sim 1.0 text: so many iterations
  bool large = false;       ///< dot and GraphML of any size
  bool force = false;       ///< replaces files that are there
};

/// What came of it, whatever the formats.
struct ConvertedFile {
  std::string to;
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  bool per_rank = true;  ///< … are those of each rank
  Findings findings;
};

/// Converts by content and by the ending of `to`: a Chakra trace to JSON, dot or GraphML, such JSON
/// to a Chakra trace; ASTRA-sim 1.0 text, PARAM's records (a file per rank) and MPI calls to Chakra
/// traces. `patterns`: one trace, but for communications. Errc: usage, input_*, output_*.
[[nodiscard]] Result<ConvertedFile> convert_file(const std::vector<std::string>& patterns,
                                                 const ConvertFileOptions& options);

}  // namespace orrery::intake

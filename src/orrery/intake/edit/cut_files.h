// SPDX-License-Identifier: Apache-2.0
//
// Cuts several traces at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/intake/edit/cut.h"

namespace orrery::intake {

struct CutPiece {
  trace::Input input;
  std::string path;  ///< the output file
  CutReport report;
};

/// Ranges of ranks, both ends inclusive.
using RankRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Cuts the traces that match `patterns`; with `ranks`, only those of these ranks. One trace is
/// written to the file `output`; several to files of the same names in the folder `output`. Errc:
/// as cut(), and usage if no trace has these ranks, or if two traces would go to one file. Checks
/// all output paths before it writes.
[[nodiscard]] Result<std::vector<CutPiece>> cut_files(const std::vector<std::string>& patterns,
                                                      const RankRanges& ranks,
                                                      const CutOptions& options,
                                                      const std::string& output,
                                                      Findings& findings);

}  // namespace orrery::intake

// SPDX-License-Identifier: Apache-2.0
//
// Several traces cut at once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "orrery/intake/edit/cut.h"

namespace orrery::intake {

struct CutPiece {
  trace::Input input;
  std::string path;  ///< where its part went
  CutReport report;
};

/// Ranges of ranks, both ends included.
using RankRanges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Cuts what `patterns` name, or with `ranks` the traces of these ranks: one trace to `output`, or
/// each to a file of its name in the folder `output`. Errc: as cut(), and usage where no trace is
/// of these ranks or two would go to one file; nothing is written before all have a place.
[[nodiscard]] Result<std::vector<CutPiece>> cut_files(const std::vector<std::string>& patterns,
                                                      const RankRanges& ranks,
                                                      const CutOptions& options,
                                                      const std::string& output,
                                                      Findings& findings);

}  // namespace orrery::intake

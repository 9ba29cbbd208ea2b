// SPDX-License-Identifier: Apache-2.0
//
// Rows of a run file that belong to timelines and ranks, by number. Private to the writer.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::result {

/// Where things that hang on timelines and ranks begin, counted over the whole file.
struct RowOffsets {
  std::vector<std::uint64_t> spans, lanes;  ///< by timeline
  std::vector<std::uint64_t> groups;        ///< by rank

  explicit RowOffsets(const Run& run) {
    std::uint64_t span = 0, lane = 0, group = 0;
    for (const Timeline& line : run.timelines) {
      spans.push_back(span);
      lanes.push_back(lane);
      span += line.spans.size();
      lane += line.lanes.size();
    }
    for (const Rank& rank : run.ranks) {
      groups.push_back(group);
      group += rank.groups.size();
    }
  }
};

}  // namespace orrery::result

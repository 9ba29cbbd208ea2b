// SPDX-License-Identifier: Apache-2.0
//
// Along which axes the ranks of a job lie, as far as traces tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::analysis {

/// What ranks along an axis share out.
enum class RankAxisKind : std::uint8_t {
  tensor,    ///< a group that reduces in layers forward
  context,   ///< messages in layers
  expert,    ///< a group that exchanges tokens in layers forward
  sharded,   ///< a group that gathers in layers forward: sharded data, or context
  data,      ///< a group with much to reduce outside of layers
  pipeline,  ///< messages outside of layers
  unsaid     ///< any other group
};
/// "tp", "cp", "ep", "fsdp", "dp", "pp", "group": what the axis is called on a command line.
[[nodiscard]] std::string_view key(RankAxisKind kind);

/// Lines of equally many ranks. Every rank is on one of them.
struct RankAxis {
  RankAxisKind kind = RankAxisKind::unsaid;
  std::string key;                                ///< of the kind; of a second one "dp2", "dp3"
  std::vector<std::vector<std::uint32_t>> lines;  ///< by their first ranks; each in ring order, of
                                                  ///< a pipeline by number

  [[nodiscard]] std::uint32_t size() const {
    return lines.empty() ? 1 : static_cast<std::uint32_t>(lines.front().size());
  }
};

/// The axes that process groups and messages show, those with the shortest lines first. A group
/// that holds whole lines of others (data and context together) is an axis by what it has beside
/// them; one that not every rank has the like of (first and last stage) is none. O(nodes of all
/// ranks + groups × members log members).
[[nodiscard]] std::vector<RankAxis> rank_axes(const graph::Workload& workload);

}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/replicate.h"

#include <algorithm>

namespace orrery::graph {

void replicate(Workload& workload, std::uint32_t ranks) {
  workload.graph_of_rank.assign(ranks, 0);
  workload.files.resize(1);
  workload.files.resize(ranks, workload.files.front());
  for (auto& [name, group] : workload.groups) {
    std::vector<std::uint32_t> sorted = group.ranks;
    std::sort(sorted.begin(), sorted.end());
    bool everybody = sorted.size() == ranks;
    for (std::uint32_t i = 0; everybody && i < ranks; ++i) everybody = sorted[i] == i;
    if (!everybody) group.ranks.clear();
  }
}

}  // namespace orrery::graph

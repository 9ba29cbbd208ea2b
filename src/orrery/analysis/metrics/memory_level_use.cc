// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/memory_level_use.h"

#include <algorithm>

namespace orrery::analysis {

std::vector<MemoryLevelUse> memory_level_use(const result::Run& run) {
  std::vector<MemoryLevelUse> all;
  for (const result::MemoryLevel& level : run.remote_memory.levels) {
    const auto share = [&](std::uint64_t loaded, std::uint64_t stored, Time time) {
      const double in = static_cast<double>(loaded), out = static_cast<double>(stored);
      const double can = level.capacity.count() * static_cast<double>(time.count()) / 1e12;
      return can > 0 ? (level.half_duplex ? in + out : std::max(in, out)) / can : 0.0;
    };
    MemoryLevelUse& use = all.emplace_back();
    use.name = level.name;
    use.loaded = level.loaded;
    use.stored = level.stored;
    use.in_use = share(level.loaded, level.stored, run.step);
    for (std::size_t bin = 0; bin < level.loads.size(); ++bin) {
      const double busy = share(level.loads[bin], level.stores[bin], run.remote_memory.bin);
      if (busy <= use.busiest) continue;
      use.busiest = busy;
      use.from = run.remote_memory.bin * static_cast<std::int64_t>(bin);
    }
  }
  return all;
}

}  // namespace orrery::analysis

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "orrery/record/record_internal.h"

namespace orrery::record {

void make_links(const Source& source, result::Run& run) {
  const bool links = !source.recording.uncontended;
  run.links.bin = source.recording.links.empty() ? Time{} : Time(source.recording.bin);
  std::map<std::vector<std::uint64_t>, std::uint32_t> curves;
  for (const sim::RecordedLink& used : source.recording.links) {
    result::Link& link = run.links.links.emplace_back();
    link.dim = used.dim;
    link.from = used.from;
    link.to = used.to;
    link.down = used.down;
    link.bytes = used.bytes;
    link.name = used.name;
    link.kind = used.kind;
    const platform::Dimension& dim = source.platform.dims[used.dim];
    if (!used.name.empty()) {
      link.capacity = Bandwidth(used.capacity);
    } else if (used.from == sim::kNone) {
      link.capacity = port_bandwidth(dim) * static_cast<double>(source.workload.rank_count());
    } else {
      link.capacity = (links ? dim.bandwidth : port_bandwidth(dim)) * used.share;
    }
    const auto [found, added] =
        curves.try_emplace(used.bins, static_cast<std::uint32_t>(run.links.curves.size()));
    if (added) run.links.curves.push_back(used.bins);
    link.use = found->second;
  }
}

}  // namespace orrery::record

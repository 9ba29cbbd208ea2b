// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/concurrency/shared_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace orrery::study {

namespace {

std::string name_of(const sim::RecordedLink& link) {
  if (!link.name.empty()) return link.name;
  if (link.down) return fmt::format("dimension {} to rank {}", link.dim, link.from);
  if (link.to == sim::kNone) return fmt::format("rank {} into dimension {}", link.from, link.dim);
  return fmt::format("rank {} to rank {}", link.from, link.to);
}

}  // namespace

std::uint64_t SharedLink::other_bytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) -
         *std::max_element(bytes.begin(), bytes.end());
}

std::vector<SharedLink> shared_links(std::span<const std::unique_ptr<const sim::Recording>> alone) {
  // Links are in the order of the recordings, which is that of the network.
  std::map<std::string, std::size_t> known;
  std::vector<SharedLink> links;
  for (std::size_t job = 0; job < alone.size(); ++job) {
    if (alone[job] == nullptr || alone[job]->uncontended) continue;
    for (const sim::RecordedLink& used : alone[job]->links) {
      if (used.name.empty() && used.from == sim::kNone) continue;
      const auto [at, added] = known.try_emplace(name_of(used), links.size());
      if (added) links.push_back({at->first, used.kind, used.capacity, {}});
      links[at->second].bytes.resize(alone.size());
      links[at->second].bytes[job] += used.bytes;
    }
  }
  std::erase_if(links, [](const SharedLink& link) { return link.other_bytes() == 0; });
  std::stable_sort(links.begin(), links.end(), [](const SharedLink& a, const SharedLink& b) {
    return a.other_bytes() > b.other_bytes();
  });
  return links;
}

}  // namespace orrery::study
